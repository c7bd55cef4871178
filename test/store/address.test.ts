import { describe, expect, it } from 'vitest';
import { environmentFor } from '../../src/domain/secrets/environment.ts';
import {
  describeAddress,
  hasPassword,
  parseAddress,
  writeAddress,
} from '../../src/store/postgres/address.ts';
import { explainPostgres, isConnectionLost } from '../../src/store/postgres/explain.ts';
import { matchLine, parseServices } from '../../src/store/postgres/resolve-address.ts';

describe('an address', () => {
  it('an address is read with all its parts, and written so that it is read the same', () => {
    const address = parseAddress(
      'postgres://me:p%40ss@db.example.com:6543/work?schema=shop&sslrootcert=/ca.pem',
    );
    expect(address).toEqual({
      host: 'db.example.com',
      port: 6543,
      database: 'work',
      user: 'me',
      password: 'p@ss',
      schema: 'shop',
      tls: { certificate: '/ca.pem' },
    });
    expect(parseAddress(writeAddress(address))).toEqual(address);
    expect(describeAddress(address)).toBe('postgres://me@db.example.com:6543/work?schema=shop');
  });

  it('an address takes what it leaves open from a service, and defaults from nowhere else', () => {
    const services = parseServices('# team\n[team]\nhost = db\nuser=me\npassword=x=y\n\n[other]\nhost=no\n');
    expect(parseAddress('postgres://?service=team', services.get('team'))).toMatchObject({
      host: 'db',
      user: 'me',
      password: 'x=y',
    });
    expect(parseAddress('postgres://me@localhost')).toMatchObject({
      port: 5432,
      database: 'me',
      schema: 'ralph',
      tls: null,
    });
  });

  it.each(['localhost', '127.0.0.1', '127.8.8.8', '[::1]'])(
    'an address of this machine (%s) needs no encryption',
    (host) => {
      expect(parseAddress(`postgres://me@${host}/x`).tls).toBeNull();
    },
  );

  it.each(['disable', 'allow', 'prefer', 'require', 'verify-ca', 'no-verify'])(
    'an address of another machine refuses sslmode=%s',
    (mode) => {
      expect(() => parseAddress(`postgres://me:secret-word@db/x?sslmode=${mode}`)).toThrow(
        /verify-full only/,
      );
    },
  );

  it.each([
    ['no URL', 'postgres://me:secret-word@[/x'],
    ['no user', 'postgres://localhost/x'],
    ['an unknown setting', 'postgres://me:secret-word@localhost/x?shcema=a'],
    ['a schema that would need quotes', 'postgres://me:secret-word@localhost/x?schema=a"; drop schema b'],
    ['a schema of the system', 'postgres://me:secret-word@localhost/x?schema=pg_catalog'],
  ])('an address with %s is refused without its password', (_, text) => {
    expect(() => parseAddress(text)).toThrow(
      expect.objectContaining({ name: 'Refusal', message: expect.not.stringContaining('secret-word') }),
    );
  });

  it('an address with a password is recognised in both forms', () => {
    expect(hasPassword('postgres://a:b@c/d')).toBe(true);
    expect(hasPassword('postgres://a@c/d?password=b')).toBe(true);
    expect(hasPassword('postgres://a@c/d')).toBe(false);
  });
});

describe('the password file', () => {
  const address = { host: 'db', port: 5432, database: 'work', user: 'me' };
  it.each([
    ['the first line that fits', 'db:5432:work:you:no\n*:*:*:me:yes\n*:*:*:*:late', 'yes'],
    ['a password with escaped signs', String.raw`db:*:work:me:a\:b\\c`, String.raw`a:b\c`],
    ['no line', '# db:5432:work:me:no\ndb:5433:work:me:no', null],
  ])('the password file gives the password of %s', (_, content, password) => {
    expect(matchLine(content, address)).toBe(password);
  });
});

const CODES: Record<string, RegExp> = {
  '28P01': /refused the login of me/,
  '28000': /refused the login/,
  '3D000': /There is no database work/,
  '42P01': /ralph database migrate/,
  '42501': /may not do this/,
  '25006': /read-only/,
  '53300': /max_connections/,
  '53100': /disk .* full/,
  '53200': /too little memory/,
  '40P01': /nothing was changed; try again/,
  '40001': /nothing was changed; try again/,
  '55P03': /locked/,
  '57014': /took too long/,
  '25P03': /too slow/,
  '57P01': /being stopped or started/,
  '57P03': /being stopped or started/,
  '58030': /failing disk/,
  XX001: /damage/,
  '08006': /cannot be reached/,
  ECONNREFUSED: /cannot be reached/,
  ECONNRESET: /cannot be reached/,
  ETIMEDOUT: /cannot be reached/,
  ENOTFOUND: /not known here/,
  CERT_HAS_EXPIRED: /sslrootcert/,
  DEPTH_ZERO_SELF_SIGNED_CERT: /sslrootcert/,
  ERR_TLS_CERT_ALTNAME_INVALID: /cannot be verified for db/,
};

describe('an error of PostgreSQL', () => {
  const address = parseAddress('postgres://me:secret-word@db/work?schema=shop');
  it.each(Object.entries(CODES))(
    '%s becomes a sentence with its repair, and without the password',
    (code, sentence) => {
      const error = explainPostgres(Object.assign(new Error('as the server says'), { code }), address);
      expect(error).toMatchObject({ name: 'Refusal', message: expect.stringMatching(sentence) });
      expect(error).toMatchObject({ message: expect.not.stringContaining('secret-word') });
    },
  );

  it.each([
    'Connection terminated unexpectedly',
    'Query read timeout',
    'timeout exceeded when trying to connect',
  ])('an error of PostgreSQL without a code (%s) is a lost connection', (message) => {
    expect(isConnectionLost(new Error(message))).toBe(true);
    expect(explainPostgres(new Error(message), address)).toMatchObject({ name: 'Refusal' });
  });

  it('that is a bug stays as it is', () => {
    const bug = Object.assign(new Error('duplicate key'), { code: '23505' });
    expect(explainPostgres(bug, address)).toBe(bug);
    expect(isConnectionLost(bug)).toBe(false);
  });
});

describe('variables that lead to the queue', () => {
  const env = {
    PATH: '/bin',
    RALPH_DATABASE_URL: 'postgres://a@db:5432/x?schema=y',
    PGPASSFILE: '/p',
    PGHOST: 'db',
    DATABASE_URL: 'postgresql://b:c@db/other',
    TEST_DATABASE_URL: 'postgres://b@elsewhere/other',
  };
  it.each(['agent', 'gate'] as const)('reach no %s, even if the configuration names them', (receiver) => {
    expect(environmentFor(receiver, env, ['PG*', '*_URL'])).toEqual({
      PATH: '/bin',
      TEST_DATABASE_URL: 'postgres://b@elsewhere/other',
    });
  });

  it('variables that lead to the queue are those of the project itself while its queue is a file', () => {
    const { RALPH_DATABASE_URL: _, ...others } = env;
    expect(environmentFor('gate', others, ['PG*', 'DATABASE_URL'])).toMatchObject({
      PGHOST: 'db',
      DATABASE_URL: env.DATABASE_URL,
    });
  });
});
