import { describe, expect, it } from 'vitest';
import {
  type CommittedFile,
  scanSecrets,
  secretQuestion,
  unansweredHits,
} from '../../../src/host/commits/scan-secrets.ts';
import { SECRET_ENV, SHAPED } from '../../support/planted-secrets.ts';

const REAL = ['gh', 'p_', 'Zk3vQ9wLx7RtB2nYc5DfHs8JmPa4UeGi6ToW'].join('');

/** The objects of a repository, by their hash; which of them are read is counted. */
function objects(contents: Readonly<Record<string, string | Buffer>>) {
  const read: string[] = [];
  const readObject = async (hash: string): Promise<Buffer> => {
    read.push(hash);
    return Buffer.from(contents[hash] ?? '');
  };
  return { read, readObject };
}

const file = (change: Partial<CommittedFile> = {}): CommittedFile => ({
  path: 'src/a.ts',
  mode: '100644',
  hash: 'new',
  previous: null,
  ...change,
});

const scan = (contents: Record<string, string | Buffer>, ...files: CommittedFile[]) =>
  scanSecrets(files, { env: SECRET_ENV, readObject: objects(contents).readObject });

describe('what a commit would add', () => {
  it('a new secret is a hit with its line and kind, and never with its value', async () => {
    const hits = await scan({ new: `one\nconst token = '${REAL}';\nthree` }, file());
    expect(hits).toEqual([{ path: 'src/a.ts', line: 2, kind: 'a GitHub token' }]);
  });

  it.each(Object.entries(SECRET_ENV).filter(([name]) => /TOKEN|KEY|PASSWORD|URL|DSN/.test(name)))(
    'a secret value of the environment is a hit: %s',
    async (_, value) => {
      const encoded = Buffer.from(`user:${value}`).toString('base64');
      const hits = await scan({ new: `a: ${value}\nb: ${encoded}` }, file());
      expect(hits.map(({ line, kind }) => [line, kind])).toEqual([
        [1, 'a value of your environment'],
        [2, 'a value of your environment'],
      ]);
    },
  );

  it('a private key is a hit, on one line or on many', async () => {
    const key = SHAPED['pem'] ?? '';
    const hits = await scan({ new: `x\n${key}\n"${key.replaceAll('\n', '\\n')}"` }, file());
    expect(hits).toEqual([
      { path: 'src/a.ts', line: 2, kind: 'a private key' },
      { path: 'src/a.ts', line: 5, kind: 'a private key' },
    ]);
  });

  it('a secret in a binary file is a hit without a line', async () => {
    const bytes = Buffer.concat([Buffer.from([0, 1, 2]), Buffer.from(SECRET_ENV['DEPLOY_TOKEN'] ?? '')]);
    expect(await scan({ new: bytes }, file())).toEqual([
      { path: 'src/a.ts', line: null, kind: 'a value of your environment' },
    ]);
    expect(await scan({ new: bytes, old: bytes }, file({ previous: 'old' }))).toEqual([]);
  });

  it('a secret in a line that was there before is no hit', async () => {
    const line = `token = ${REAL}`;
    expect(await scan({ new: `new\n${line}`, old: `${line}\nold` }, file({ previous: 'old' }))).toEqual([]);
  });

  it.each([
    ['a sample of a document', ['AKIA', 'IOSFODNN7EXAMPLE'].join('')],
    ['a row of letters', ['ghp_', 'abcdefghijklmnopqrstuvwxyz0123456789'].join('')],
    ['one letter again and again', ['ghp_', 'a'.repeat(36)].join('')],
    ['a key for browsers', ['pk_live_', '51H8xYzAbCdEfGhIjKlMnOp'].join('')],
    ['a token that signs a sample', SHAPED['jwt'] ?? ''],
    ['the first line of a key', ['-----BEGIN RSA ', 'PRIVATE KEY-----'].join('')],
    ['a hash of a lock file', `"integrity": "sha512-${'aB3dE5fG7hJ9kL1m'.repeat(5)}AA=="`],
    ['an assignment in code', "const password = 'hunter2'; const token = config.token2;"],
    ['an address for a test', 'postgres://postgres:postgres@localhost:5432/test'],
  ])('a new line is no hit if it is %s', async (_, text) => {
    expect(await scan({ new: `a\n${text}\nb` }, file())).toEqual([]);
  });

  it('the scan does not read a submodule, an unchanged object or an allowed file', async () => {
    const { read, readObject } = objects({ new: REAL });
    const files = [
      file({ mode: '160000' }),
      file({ previous: 'new' }),
      file({ path: 'test/fixtures/key.txt' }),
    ];
    const isAllowed = (path: string) => path.startsWith('test/fixtures/');
    expect(await scanSecrets(files, { env: {}, readObject, isAllowed })).toEqual([]);
    expect(read).toEqual([]);
  });
});

describe('the question to the person', () => {
  const hit = { path: 'a "b".ts', line: 3, kind: 'a GitHub token' };

  it('the question names place and kind, and only a few of many hits', () => {
    expect(secretQuestion([hit])).toBe(
      'The commit would hold what looks like a secret: a GitHub token in "a \\"b\\".ts" at line 3. Answer "allow" to commit it as it is, or say what the agent should do instead.',
    );
    expect(secretQuestion(Array(9).fill(hit))).toContain(' and 4 more.');
  });

  it('Ralph does not ask again about a secret that the answer allowed, even on another line', () => {
    const question = secretQuestion([hit]);
    const moved = { ...hit, line: 40 };
    expect(unansweredHits([moved], [{ question, answer: 'Allow it.' }])).toEqual([]);
    expect(unansweredHits([moved], [{ question, answer: 'Yes, it is real: remove it' }])).toEqual([moved]);
    expect(unansweredHits([moved], [{ question, answer: null }])).toEqual([moved]);
    const other = { ...hit, path: 'c.ts' };
    expect(unansweredHits([other], [{ question, answer: 'allow' }])).toEqual([other]);
  });
});
