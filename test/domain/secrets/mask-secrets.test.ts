import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskJson, maskSecrets, maskValue } from '../../../src/domain/secrets/mask-secrets.ts';
import { isSecretName, secretValues } from '../../../src/domain/secrets/secret-names.ts';
import { SECRET_ENV, SHAPED } from '../../support/planted-secrets.ts';

const mask = maskSecrets(SECRET_ENV);
const values = Object.entries(SECRET_ENV).filter(([name]) => isSecretName(name));

describe('a secret of the environment', () => {
  const written: [string, (value: string) => string][] = [
    ['as it is', (value) => value],
    ['in JSON', (value) => JSON.stringify({ text: value })],
    ['percent-encoded', (value) => encodeURIComponent(value)],
    [
      'percent-encoded in lower case',
      (value) => encodeURIComponent(value).replace(/%../g, (byte) => byte.toLowerCase()),
    ],
    ['in Base64', (value) => Buffer.from(value).toString('base64')],
    ['in Base64 for URLs', (value) => Buffer.from(value).toString('base64url')],
    ['in Base64 behind one character', (value) => Buffer.from(`x${value}y`).toString('base64')],
    ['in Base64 behind two characters', (value) => Buffer.from(`xy${value}z`).toString('base64')],
    ['in Base64 behind a name', (value) => Buffer.from(`somebody:${value}`).toString('base64')],
  ];
  for (const [name, value] of values)
    it.each(written)(`the value of ${name} is masked %s`, (_, write) => {
      const text = `It said ${write(value)} and went on.`;
      const masked = mask(text);
      expect(masked).toContain('<masked>');
      expect(masked).not.toContain(middleOf(write(value)));
    });

  it('a password of an address is masked, with and without the address around it', () => {
    expect(mask('log in with s3cr3t-db-pw')).toBe('log in with <masked>');
    expect(mask('the proxy wants pr0xy-passw0rd')).toBe('the proxy wants <masked>');
  });

  it('names of variables tell secrets from settings that only sound like one', () => {
    const secret = [
      'GITHUB_TOKEN',
      'OPENAI_API_KEY',
      'PGPASSWORD',
      'MYSQL_PWD',
      'DATABASE_URL',
      'SENTRY_DSN',
      'NPM_AUTH',
      'COOKIE',
      'npmAuthToken',
      'AWS_SECRET_ACCESS_KEY',
      'DB_PASS',
      'VAULT_CREDENTIALS',
      'MONGODB_URI',
      'STRIPE_SECRET_KEY',
      'CLIENT_SECRET',
    ];
    const harmless = [
      'PATH',
      'PWD',
      'OLDPWD',
      'HOME',
      'SSH_AUTH_SOCK',
      'SSH_ASKPASS',
      'TLS_KEY_PATH',
      'TOKEN_FILE',
      'KEYBOARD_LAYOUT',
      'MAX_TOKENS',
      'AUTH_URL',
      'COMPASS',
      'PASSENGER_APP_ENV',
      'XAUTHORITY',
      'MONKEY',
      'JWT_ALGORITHM',
      'RALPH_SESSION_ID',
      'GOOGLE_APPLICATION_CREDENTIALS_FILE',
    ];
    expect(secret.filter((name) => !isSecretName(name))).toEqual([]);
    expect(harmless.filter(isSecretName)).toEqual([]);
  });

  it('a word, number, switch, path or reference is not masked as a secret', () => {
    const env = {
      API_KEY: 'true',
      TOKEN: '12345678',
      DB_PASSWORD: 'postgres',
      SSH_KEY: '/home/me/.ssh/id_ed25519',
      SECRET: `\${OTHER}`,
      AUTH_KEY: 'short',
      SECRET_KEY: 'changeme',
    };
    expect(secretValues(env)).toEqual([]);
  });
});

/** Eight characters that belong to the secret, whatever was written around it. */
const middleOf = (text: string): string => text.slice(text.length / 2 - 2).slice(0, 8);

describe('a secret of a known shape', () => {
  it.each(Object.entries(SHAPED))('a secret of a known shape is masked: %s', (_, secret) => {
    const masked = mask(`Use ${secret} here.`);
    expect(masked).toBe('Use <masked> here.');
  });

  const told: [string, string][] = [
    ['curl -u deploy:hunter2hunter https://x.test', 'curl -u deploy:<masked> https://x.test'],
    ['Cookie: sid=abc123; theme=dark', 'Cookie: <masked>'],
    ['Authorization: Bearer a8f5f167f44f4964', 'Authorization: Bearer <masked>'],
    ['Authorization: Basic dXNlcjpwYXNz', 'Authorization: Basic <masked>'],
    ['DB_PASSWORD=Sommer2024!', 'DB_PASSWORD=<masked>'],
    ['"password": "hunter2"', '"password": "<masked>"'],
    ['the password is Sommer2024', 'the password is <masked>'],
    ['redis://:p4ssw0rd@cache:6379', 'redis://:<masked>@cache:6379'],
    ['mysql://root:p@ss@db/shop', 'mysql://root:<masked>@db/shop'],
    [
      'https://x.test/blob?sv=1&sig=a8f5f167f44f4964e6c998dee827110c%3D',
      'https://x.test/blob?sv=1&sig=<masked>',
    ],
  ];
  it.each(told)('a secret is masked because of the words around it: %s', (text, masked) => {
    expect(mask(text)).toBe(masked);
  });
});

describe('an ordinary text stays as it is', () => {
  it.each([
    'The commit 9fceb02d0ae598e95dc970b74767f19372d61af8 broke session 123e4567-e89b-42d3-a456-426614174000.',
    'sha512-z9ltF8BBwBKQlDYnyqHJpXWrmVJmzVwuJHfvnBSOJvfOeZxkQ1Z1vqHqXq1kQ== is in the lock file',
    'http://localhost:3000/@vite/client and https://github.com/org/repo.git and git@github.com:org/repo.git',
    'password: string; token?: string; const token = await readToken(user1);',
    'The password must have at least 12 characters; a password is required2 in step 3',
    'Detect -----BEGIN RSA PUBLIC KEY----- headers before anything else happens in the parser.',
    'Cookie: the banner is shown once. Authorization: required for every call.',
    'const password = process.env.DB_PASSWORD2; const key = config.secretKeys.current2;',
    'tokens: 1500 of 20000, tokenizer: cl100k_base, keyboard: de-latin1-nodeadkeys',
    '/home/somebody/projects/shop/src/auth/read-token-v2.ts:41:7',
    'curl -u "$USER:$PASSWORD" https://x.test; docker run -e PASSWORD=$PASSWORD app',
    '/usr/local/bin:/usr/bin:/bin',
  ])('an ordinary text stays unchanged: %s', (text) => {
    expect(mask(text)).toBe(text);
  });

  it('every source, document and lock file of this repository stays unchanged', () => {
    const files = execFileSync('git', ['ls-files', 'src', 'docs', 'web', '*.md', '*.json'], {
      encoding: 'utf8',
    })
      .trim()
      .split('\n');
    const torn = files.filter((file) => {
      const text = readFileSync(file, 'utf8');
      return mask(text) !== text;
    });
    expect(torn).toEqual([]);
  });

  it('any list of hashes, UUIDs, numbers and times stays unchanged', () => {
    const word = fc.oneof(
      fc.uuid(),
      fc.stringMatching(/^[0-9a-f]{40}$/),
      fc.stringMatching(/^[0-9a-f]{64}$/),
      fc.nat().map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      fc.ipV4(),
      fc.constantFrom('commit', 'id:', 'session', 'hash=', '(', ')', 'version', '/'),
    );
    fc.assert(fc.property(fc.array(word), (words) => mask(words.join(' ')) === words.join(' ')));
  });
});

describe('masking', () => {
  const piece = fc.oneof(
    fc.constantFrom(...Object.values(SECRET_ENV), ...Object.values(SHAPED)),
    fc.constantFrom(
      'password=',
      'token: ',
      'Cookie: a=',
      'Bearer ',
      'curl -u a:',
      '://',
      '@',
      ':',
      '<masked>',
      ' ',
      '"',
      '\n',
      '-----BEGIN ',
    ),
    fc.string(),
  );
  const text = fc.array(piece).map((pieces) => pieces.join(''));

  it('masking a text a second time changes nothing', () => {
    fc.assert(fc.property(text, (one) => mask(mask(one)) === mask(one)));
  });

  it('masking leaves no secret of the environment, whatever text surrounds it', () => {
    fc.assert(
      fc.property(text, (one) => {
        const masked = mask(one);
        expect(values.filter(([, value]) => masked.includes(value))).toEqual([]);
      }),
    );
  });

  // A pattern that reads a run again from each of its characters would take an hour here.
  it.each([
    ' ',
    'a',
    'a.',
    'eyJ-',
    'token=',
    'http://a:b',
    'cookie: ',
    '-----BEGIN PRIVATE KEY-----',
    'curl ',
  ])(
    'masking ends in time for a line of 2 MB: %j',
    (unit) => {
      const line = unit.repeat(2_000_000 / unit.length);
      expect(mask(`${line} ${SHAPED['github']}`)).toMatch(/<masked>$/);
    },
    120_000,
  );

  it('masked JSON is the same value with masked texts', () => {
    fc.assert(
      fc.property(fc.jsonValue(), text, (value, one) => {
        const json = JSON.stringify({ value, one });
        expect(JSON.parse(maskJson(json, mask))).toEqual(
          maskValue({ value: JSON.parse(JSON.stringify(value)), one }, mask),
        );
      }),
    );
  });

  it('masking a value takes its keys into account', () => {
    const value = { db: { password: 'hunter2', user: 'hunter2' }, keys: ['a1'] };
    expect(maskValue(value, mask)).toEqual({ db: { password: '<masked>', user: 'hunter2' }, keys: ['a1'] });
  });

  it('a value without secrets is not copied, and neither are the parts of a masked one', () => {
    const clean = { words: ['a', 'b'], count: 1, nested: { of: null } };
    expect(maskValue(clean, mask)).toBe(clean);
    const masked = maskValue({ clean, password: 'hunter2' }, mask);
    expect(masked).toEqual({ clean, password: '<masked>' });
    expect(masked.clean).toBe(clean);
  });

  it('masking keeps a JSON text without secrets, to the last blank', () => {
    expect(maskJson('{ "a":  1 }', mask)).toBe('{ "a":  1 }');
  });
});

it.each([
  'curl -u somebody:hunter2x',
  'Basic c29tZWJvZHk6aHVudGVyMg==',
  'API_KEY = 0123456789abcdef0123',
  'credential: 0123456789abcdef0123',
  'the secret is 0123456789abcdef0123',
  'token=0123456789abcdef0123',
  'pwd=Hunter2!Hunter2!',
  'db_pass: Hunter2!Hunter2!',
  '--pass Hunter2!Hunter2!',
  '--token Hunter2!Hunter2!',
  'the passphrase is Hunter2!Hunter2!',
  'GET /a?sig=0123456789abcdef0123456789abcdef',
  'GET /a?b=c&X-Amz-Signature=0123456789abcdef0123456789abcdef',
])('a secret is masked by the only word that tells it, in %s', (text) => {
  expect(mask(text)).toContain('<masked>');
});
