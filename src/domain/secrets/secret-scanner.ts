// Finds secrets in files before a commit. It is stricter than the mask, because source files contain many look-alikes.
import { secretForms } from './mask-secrets.ts';
import { secretValues, type Variables } from './secret-names.ts';
import { SECRET_SHAPES } from './secret-shapes.ts';

/** `line` counts from 1. The value never contains the secret itself. */
type SecretMatch = { line: number; kind: string };

export type SecretScanner = {
  /** At most one match per line; reads only lines for which `isAdded` holds. */
  inText(text: string, isAdded: (line: string) => boolean): SecretMatch[];
  /** The written forms of secret values of the environment, for searches in binary files. */
  forms: readonly string[];
};

export const ENVIRONMENT_VALUE = 'a value of your environment';

/** Publishable keys, which browsers may see. */
const PUBLIC = /^pk_(?:live|test)_/;
/** Invented values: rows of letters or digits, one repeated character, the word itself. */
const MADE_UP =
  /example|(.)\1{7}|abcdefgh|12345678|87654321|0123456|xxxx|your[-_]|placeholder|dummy|changeme/i;
/** Tells a real key from a mention of its first line. */
const KEY_BODY =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:\s|\\[nr]){1,4}[\w-]{1,40}: [^\n\\]{0,200}){0,4}(?:\s|\\[nr]){1,4}[A-Za-z0-9+/=]{32}/;
/** A key may have headers between its first line and its body. */
const KEY_LINES = 6;

export function secretScanner(env: Variables): SecretScanner {
  const forms = secretValues(env).flatMap(secretForms);
  return {
    forms,
    inText: (text, isAdded) => {
      const lines = text.split('\n');
      return lines.flatMap((content, index) => {
        if (!isAdded(content)) return [];
        const kind = forms.some((form) => content.includes(form))
          ? ENVIRONMENT_VALUE
          : shapeIn(content, () => lines.slice(index, index + KEY_LINES).join('\n'));
        return kind === null ? [] : [{ line: index + 1, kind }];
      });
    },
  };
}

function shapeIn(line: string, withNextLines: () => string): string | null {
  const shape = SECRET_SHAPES.find(({ pattern }) =>
    [...line.matchAll(pattern)].some(([found]) =>
      found.startsWith('-----') ? KEY_BODY.test(withNextLines()) : isReal(found),
    ),
  );
  return shape?.kind ?? null;
}

const isReal = (value: string): boolean =>
  !PUBLIC.test(value) && !MADE_UP.test(value.startsWith('eyJ') ? decodePayload(value) : value);

/** Sample tokens of documentation are signed, too; their payload reveals them. */
function decodePayload(token: string): string {
  try {
    return atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return '';
  }
}
