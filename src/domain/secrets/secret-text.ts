// Finds secrets in texts of people and agents: known shapes anywhere, passwords only by the words around them.
import { ANY_SHAPE, SECRET_SHAPES } from './secret-shapes.ts';

export const MASKED = '<masked>';

type Context = {
  kind: string;
  /** Every match has one of these, in either case: most texts have none, and so are read only once. */
  words: readonly string[];
  pattern: RegExp;
  isSecret(value: string, next: string): boolean;
};

const hasLetter = (value: string): boolean => /[a-z]/i.test(value);
const hasDigit = (value: string): boolean => /\d/.test(value);
const isMixed = (value: string): boolean => hasLetter(value) && hasDigit(value);

const isPath = (value: string): boolean => /^[\w.-]*\/[\w./-]+\.[a-z]{2,4}\b/i.test(value);
/** `config.token2`, `user.apiKey`: code that fetches a secret, not the secret. */
const isReference = (value: string): boolean => /^[a-z_$][\w$]*(?:\.[a-z_$][\w$]*)+$/i.test(value);
/** Several words, such as `use-the-v2-endpoint`. */
const isWords = (value: string): boolean => /^[a-z]+\d{0,2}(?:[-_./](?:[a-z]+\d{0,2}|\d{1,3}))+$/.test(value);

const isKey = (value: string, next: string): boolean =>
  next !== '(' && isMixed(value) && !isPath(value) && !isReference(value) && !isWords(value);

/** Any text may be a password, but a word, a path, a reference or a call is probably something else. */
const isPassword = (value: string, next: string): boolean =>
  next !== '(' &&
  hasLetter(value) &&
  /[\d!@#%^&*]/.test(value) &&
  !/^(?:[$%*~@]|\.{0,2}\/|[A-Za-z]:\\)/.test(value) &&
  !isReference(value) &&
  !isWords(value);

const isNamedPassword = (value: string, next: string): boolean =>
  isPassword(value, next) && (value.length >= 16 || /[A-Z!@#%^&*]/.test(value));

const isBasic = (value: string): boolean => {
  try {
    return /^[\x20-\x7e]+:[\x20-\x7e]+$/.test(atob(value));
  } catch {
    return false;
  }
};

const KEY_NAME = String.raw`(?:api[ _-]?key|access[_-]?key|account[_-]?key|private[_-]?key|client[_-]?secret|secret|token|credential)(?:s|[_-]\w{1,40})?`;
const PASSWORD_NAME = String.raw`(?:passw(?:or)?d|passphrase|pwd|_pass)(?:s|[_-]\w{1,40})?`;
const ASSIGN = String.raw`\\?["'\x60]?\s{0,4}[:=]\s{0,4}\\?["'\x60]?`;

/** Each has two groups: the text before the secret, and the secret. No match may restart inside text that was read already. */
const CONTEXTS: readonly Context[] = [
  {
    kind: 'a password in an address',
    words: ['://'],
    pattern:
      /((?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,30}:\/\/[^\s/:@<>"'\x60]{0,100}:)([^\s/<>"'\x60]{3,300}(?=@))/gi,
    isSecret: (value) => !/^(?:[*{[]|\$[A-Z{(]|%[sd({])/.test(value),
  },
  {
    kind: 'a password of a command',
    words: ['curl'],
    pattern: /(\bcurl\b[^\r\n]{0,200}?\s(?:-u|--user)[ =]?["']?[^\s:"'<>]{1,64}:)([^\s"'<>]{3,4000})/g,
    isSecret: (value) => !value.startsWith('$'),
  },
  {
    kind: 'a cookie',
    words: ['cookie'],
    pattern: /(\b(?:set-)?cookie["']?\s{0,4}:\s{0,4}["']?)([^\s"'\x60<>;=]{1,100}=[^\r\n"'\x60<>]{4,4000})/gi,
    isSecret: () => true,
  },
  {
    kind: 'credentials',
    words: ['authorization', 'bearer'],
    pattern:
      /(\b(?:authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:[a-z]{2,20}\s{1,4})?|bearer\s{1,4}))([\w+/.~=:-]{8,4000})/gi,
    isSecret: (value) => isMixed(value) && !isReference(value) && !isWords(value),
  },
  {
    kind: 'credentials',
    words: ['basic'],
    pattern: /(\bbasic\s{1,4})([A-Za-z0-9+/]{8,4000}={0,2})(?![\w/.-])/gi,
    isSecret: isBasic,
  },
  {
    kind: 'a secret',
    words: ['key', 'secret', 'token', 'credential'],
    pattern: new RegExp(
      String.raw`(${KEY_NAME}(?:${ASSIGN}|\s{1,4}is:?\s{1,4}["'\x60]?))([\w+/.=-]{16,4000})`,
      'gi',
    ),
    isSecret: isKey,
  },
  {
    kind: 'a password',
    words: ['passw', 'passphrase', 'pwd', '_pass', '--pass', '--token'],
    pattern: new RegExp(
      String.raw`((?:${PASSWORD_NAME}${ASSIGN}|--(?:password|passphrase|pass|token)\s{1,2}["'\x60]?))([^\s"'\x60,;<>(){}[\]\\]{6,4000})`,
      'gi',
    ),
    isSecret: isPassword,
  },
  {
    kind: 'a password',
    words: ['passw', 'passphrase'],
    pattern:
      /(\b(?:passw(?:or)?d|passphrase)\s{1,4}is:?\s{1,4}["'\x60]?)([^\s"'\x60,;<>(){}[\]\\]{6,4000})/gi,
    isSecret: isNamedPassword,
  },
  {
    kind: 'a secret',
    words: ['key', 'secret', 'token', 'passw', 'basic'],
    // Several words are no key; a long unbroken run of letters and digits is.
    pattern:
      /(\b(?:api[ _-]?key|secret|token|passw(?:or)?d|basic)s? ["'\x60]?)([a-z0-9+/]{20,4000}=*)(?![\w/.-])/gi,
    isSecret: isMixed,
  },
  {
    kind: 'a signature',
    words: ['sig=', 'signature='],
    pattern: /([?&](?:sig|X-Amz-Signature|X-Goog-Signature)=)([\w%+/-]{30,4000}=*)/gi,
    isSecret: isMixed,
  },
];

/** Whether any context can match. */
const ANY_WORD = new RegExp([...new Set(CONTEXTS.flatMap(({ words }) => words))].join('|'), 'i');

/** The kind of the first secret in a text, or null. */
export function secretIn(text: string): string | null {
  const shape = SECRET_SHAPES.find(({ pattern }) => text.search(pattern) >= 0);
  if (shape !== undefined) return shape.kind;
  return CONTEXTS.find((context) => replaceIn(text, context) !== text)?.kind ?? null;
}

/** A masked secret may uncover the next one, so several rounds are needed. A text without secrets takes one. */
const ROUNDS = 8;

export function withoutSecrets(text: string): string {
  let masked = text;
  for (let round = 0; round < ROUNDS; round++) {
    const shapeless = masked.replace(ANY_SHAPE, MASKED);
    const next = ANY_WORD.test(shapeless)
      ? CONTEXTS.reduce((rest, context) => replaceIn(rest, context), shapeless)
      : shapeless;
    if (next === masked) break;
    masked = next;
  }
  return masked;
}

const replaceIn = (text: string, { pattern, isSecret }: Context): string =>
  text.replace(pattern, (all: string, before: string, value: string, offset: number) =>
    isSecret(value, text[offset + all.length] ?? '') ? `${before}${MASKED}` : all,
  );

/** The passwords of the addresses in a text, as written and decoded. */
export function passwordsIn(text: string): string[] {
  const [{ pattern, isSecret }] = CONTEXTS as readonly [Context];
  return [...text.matchAll(pattern)].flatMap(([, , password = '']) =>
    isSecret(password, '') ? [password, decodeUrl(password)] : [],
  );
}

function decodeUrl(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
