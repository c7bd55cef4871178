// Finds the environment variables that hold a secret, by their names and values.
import { fileSecrets } from './file-secrets.ts';
import { passwordsIn } from './secret-text.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

/** Shorter values are often ordinary words, and masking those would damage texts. */
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

/** Names without a separator: PGPASSWORD, GITHUBTOKEN. */
const SECRET_ENDS = /(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|APIKEY|CREDENTIALS?)$/;

/** Addresses of services, which may contain a password. */
const SECRET_ADDRESSES =
  /(?:^|_)(?:DATABASE|DB|POSTGRES(?:QL)?|PG|MYSQL|MONGO(?:DB)?|REDIS|AMQP|RABBITMQ|CLOUDAMQP|SMTP|MAILER|SENTRY|WEBHOOK)_?(?:URL|URI|DSN)$|CONNECTION_?STRING$/;

/** Names of settings about a secret, such as its path, lifetime or issuer. */
const ABOUT_SECRETS =
  /(?:^|_)(?:PATH|PATHS|FILE|FILES|DIR|DIRS|FOLDER|HOME|ROOT|SOCK|SOCKET|AGENT|ID|IDS|NAME|URL|URI|ENDPOINT|HOST|DOMAIN|PORT|REGION|TTL|EXPIRY|EXPIRES|EXPIRATION|LIFETIME|TIMEOUT|LIMIT|COUNT|LENGTH|SIZE|MAX|MIN|TYPE|KIND|MODE|METHOD|ALG|ALGORITHM|PROVIDER|PREFIX|HEADER|ENABLED|DISABLED|HELPER|COMMAND|TTY|VERSION|SERVICE|DELAY)$/;

export function isSecretName(name: string): boolean {
  const upper = name.replace(/([a-z\d])([A-Z])/g, '$1_$2').toUpperCase();
  if (SECRET_ADDRESSES.test(upper)) return true;
  // PWD and OLDPWD are folders, not passwords.
  if (ABOUT_SECRETS.test(upper) || /^(?:OLD)?PWD$/.test(upper)) return false;
  return upper.split(/[^A-Z0-9]+/).some((word) => SECRET_WORDS.has(word)) || SECRET_ENDS.test(upper);
}

/** Placeholders for a secret. Such words occur in ordinary texts. */
const PLACEHOLDERS =
  /^(?:x+|\*+|password\d{0,3}|passw0rd|changeme|change[-_]?it|postgres(?:ql)?|rootroot|secret[-_]?key|development|production|localhost|disabled|required|optional|undefined|anonymous|placeholder|masked|<masked>|your[-_ ].*|.*\bexample\b.*)$/i;

const isPath = (value: string): boolean =>
  /^(?:~|\.{1,2})?\/[\w.@ -]+(?:\/[\w.@ -]+)+\/?$/.test(value) || /^[A-Za-z]:\\/.test(value);

/** A number, a switch, a path, a reference or an address without a password is no secret. */
const isHarmless = (value: string): boolean =>
  value.length < SHORTEST ||
  /^[\d.,:]{1,15}$/.test(value) ||
  /^\$\{?\w/.test(value) ||
  // One lower-case word: it may occur in ordinary texts and in Ralph's own messages.
  /^[a-z_]{1,17}$/.test(value) ||
  PLACEHOLDERS.test(value) ||
  isPath(value) ||
  // With a login and without a password: Ralph shows so where its queue is.
  (/^postgres(?:ql)?:\/\/[\w.%-]+@[^\s@]*$/i.test(value) && !/[?&]password=/i.test(value)) ||
  (/^[a-z][a-z0-9+.-]{0,30}:\/\/[^\s@]*$/i.test(value) && !/[?&#/][^/?&#]{24,}/.test(value));

/** The secret values of the environment and of files, longest first, because one may be part of another. */
export function secretValues(env: Variables): string[] {
  const values = Object.entries(env).flatMap(([name, value = '']) => {
    const trimmed = value.trim();
    // A password in an address is a secret whatever the variable is called, for example in a proxy's address.
    const inside = passwordsIn(trimmed).filter((password) => !isHarmless(password));
    return isSecretName(name) && !isHarmless(trimmed) ? [trimmed, ...inside] : inside;
  });
  return [...new Set([...values, ...fileSecrets(env)])].sort((one, other) => other.length - one.length);
}
