// Which variables of the environment hold a secret, judged by their names and by what a value can be.
import { passwordsIn } from './secret-text.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

/** Shorter ones are words of the language: to mask them would tear texts apart. */
const SHORTEST = 8;

const SECRET_WORDS = new Set([
  ...[
    'KEY',
    'KEYS',
    'APIKEY',
    'TOKEN',
    'SECRET',
    'SECRETS',
    'PASS',
    'PASSWD',
    'PASSWORD',
    'PASSPHRASE',
    'PWD',
  ],
  ...[
    'DSN',
    'COOKIE',
    'COOKIES',
    'AUTH',
    'CREDENTIAL',
    'CREDENTIALS',
    'CREDS',
    'BEARER',
    'JWT',
    'PAT',
    'LICENSE',
  ],
  ...['SAS', 'SIGNATURE', 'WEBHOOK'],
]);

/** Written together: PGPASSWORD, GITHUBTOKEN. */
const SECRET_ENDS = /(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|APIKEY|CREDENTIALS?)$/;

/** Where services are reached, with the password in the address. */
const SECRET_ADDRESSES =
  /(?:^|_)(?:DATABASE|DB|POSTGRES(?:QL)?|PG|MYSQL|MONGO(?:DB)?|REDIS|AMQP|RABBITMQ|CLOUDAMQP|SMTP|MAILER|SENTRY|WEBHOOK)_?(?:URL|URI|DSN)$|CONNECTION_?STRING$/;

/** What is said about a secret, and is none: where it lies, how long it lasts, who gives it. */
const ABOUT_SECRETS =
  /(?:^|_)(?:PATH|PATHS|FILE|FILES|DIR|DIRS|FOLDER|HOME|ROOT|SOCK|SOCKET|AGENT|ID|IDS|NAME|URL|URI|ENDPOINT|HOST|DOMAIN|PORT|REGION|TTL|EXPIRY|EXPIRES|EXPIRATION|LIFETIME|TIMEOUT|LIMIT|COUNT|LENGTH|SIZE|MAX|MIN|TYPE|KIND|MODE|METHOD|ALG|ALGORITHM|PROVIDER|PREFIX|HEADER|ENABLED|DISABLED|HELPER|COMMAND|TTY|VERSION|SERVICE|DELAY)$/;

export function isSecretName(name: string): boolean {
  const upper = name.replace(/([a-z\d])([A-Z])/g, '$1_$2').toUpperCase();
  if (SECRET_ADDRESSES.test(upper)) return true;
  // The shell's own: the folder it is in, and the one before.
  if (ABOUT_SECRETS.test(upper) || /^(?:OLD)?PWD$/.test(upper)) return false;
  return upper.split(/[^A-Z0-9]+/).some((word) => SECRET_WORDS.has(word)) || SECRET_ENDS.test(upper);
}

/** What people write where a secret would be: these words stand in every other text. */
const PLACEHOLDERS =
  /^(?:x+|\*+|password\d{0,3}|passw0rd|changeme|change[-_]?it|postgres(?:ql)?|rootroot|secret[-_]?key|development|production|localhost|disabled|required|optional|undefined|anonymous|placeholder|masked|<masked>|your[-_ ].*|.*\bexample\b.*)$/i;

const isPath = (value: string): boolean =>
  /^(?:~|\.{1,2})?\/[\w.@ -]+(?:\/[\w.@ -]+)+\/?$/.test(value) || /^[A-Za-z]:\\/.test(value);

/** A number, a switch, a path, a reference or an address without a password gives nothing away. */
const isHarmless = (value: string): boolean =>
  value.length < SHORTEST ||
  /^[\d.,:]{1,15}$/.test(value) ||
  /^\$\{?\w/.test(value) ||
  // One word in small letters: the same stands in ordinary texts, and among Ralph's own words.
  /^[a-z_]{1,17}$/.test(value) ||
  PLACEHOLDERS.test(value) ||
  isPath(value) ||
  (/^[a-z][a-z0-9+.-]{0,30}:\/\/[^\s@]*$/i.test(value) && !/[?&#/][^/?&#]{24,}/.test(value));

/** Every value of the environment that must not be told, the longest first: one may be part of another. */
export function secretValues(env: Variables): string[] {
  const values = Object.entries(env).flatMap(([name, value = '']) => {
    const trimmed = value.trim();
    // A password in an address is one whatever the variable is called, a proxy's for example.
    const inside = passwordsIn(trimmed).filter((password) => !isHarmless(password));
    return isSecretName(name) && !isHarmless(trimmed) ? [trimmed, ...inside] : inside;
  });
  return [...new Set(values)].sort((one, other) => other.length - one.length);
}
