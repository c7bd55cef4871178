import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { splitDocument } from '../../src/context/split-document.ts';
import { findProject } from '../../src/host/project.ts';
import { initialised, type TestProject } from '../support/ralph.ts';

type Found = { source: string; ref: string; title: string; snippet: string; score: number };

const search = async (project: TestProject, ...args: string[]): Promise<Found[]> =>
  (await project.json('search', ...args)) as Found[];

async function known(): Promise<TestProject> {
  const project = await initialised();
  const write = (path: string, text: string): void => {
    mkdirSync(join(project.root, path, '..'), { recursive: true });
    writeFileSync(join(project.root, path), text);
  };
  write(
    '.ralph/features.yaml',
    'features:\n  - { name: auth, description: Who may come in, knowledge_paths: [docs/auth] }\n  - { name: billing, description: Invoices and money }\n',
  );
  write(
    'docs/auth/tokens.md',
    '# Tokens\n\nIntro.\n\n## Rotation\n\nEach refresh rotates the token.\n\n## Storage\n\nHashed.\n',
  );
  write('specs/refunds.md', '# Refunds\n\nA chargeback is a refund, too.\n');
  await project.json(
    'add',
    'Write the user lookup',
    '--feature',
    'auth',
    '--description',
    'By the id of the user.',
  );
  await project.json('learn', 'Look users up with getUserById in src/lib/auth.ts', '--feature', 'auth');
  await project.json('learn', 'The auth_middleware strips the cookie', '--feature', 'auth');
  return project;
}

describe('ralph search', () => {
  it('a search finds learnings, definitions and documents by heading, and names the place of each', async () => {
    const project = await known();
    expect(await search(project, 'rotation of the token')).toMatchObject([
      {
        source: 'document',
        ref: 'docs/auth/tokens.md:5',
        title: 'Rotation',
        snippet: 'Each refresh rotates the token.',
      },
      { source: 'document', ref: 'docs/auth/tokens.md:1' },
    ]);
    expect((await search(project, 'chargeback'))[0]).toMatchObject({
      source: 'document',
      ref: 'specs/refunds.md:1',
    });
    expect((await search(project, 'invoices'))[0]).toMatchObject({ source: 'feature', ref: 'billing' });
    expect((await search(project, 'who is a senior backend engineer'))[0]).toMatchObject({
      source: 'discipline',
    });
  });

  it.each([
    ['getUserById', 'learning'],
    ['user by id', 'task'],
    ['auth middleware', 'learning'],
    ['auth_middleware', 'learning'],
    ['src/lib/auth.ts', 'learning'],
    ['lib auth', 'learning'],
  ])('a search for "%s" finds identifiers whole and by their parts', async (text, source) => {
    const project = await known();
    expect((await search(project, text))[0]).toMatchObject({ source });
  });

  it('a search for a word in nearly every entry still ranks them, and shortens a long match', async () => {
    const project = await initialised();
    await project.json('learn', 'x'.repeat(1_900).concat(' login'));
    for (const end of ['of a person', 'of a machine'])
      await project.json('learn', `A login ${end} is logged at length by the audit`);
    await project.json('learn', 'login login');
    const found = await search(project, 'login');
    expect(found[0]).toMatchObject({ snippet: 'login login' });
    expect(found.every(({ score, snippet }) => score > 0 && snippet.length <= 600)).toBe(true);
  });

  it('a search within a feature finds nothing of others, and an unknown feature is refused', async () => {
    const project = await known();
    expect((await search(project, 'refresh refunds', '--feature', 'auth')).map(({ ref }) => ref)).toEqual([
      'docs/auth/tokens.md:5',
    ]);
    expect(await project.within('search', 'x', '--feature', 'biling')).toMatchObject({
      code: 1,
      stderr: 'ralph: There is no feature "biling"; did you mean "billing"?\n',
    });
    expect(await project.within('search', '!?')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Say what to look for'),
    });
  });

  it('a search sees changes at once, and forgets removed entries', async () => {
    const project = await known();
    await search(project, 'token');
    writeFileSync(join(project.root, 'docs/auth/tokens.md'), '# Tokens\n\nNow about marmots.\n');
    expect((await search(project, 'marmots'))[0]).toMatchObject({ ref: 'docs/auth/tokens.md:1' });
    expect(await search(project, 'rotation')).toEqual([]);
    rmSync(join(project.root, 'docs/auth/tokens.md'));
    expect(await search(project, 'marmots')).toEqual([]);
    await project.json('learn', 'remove', '2');
    expect(await search(project, 'cookie')).toEqual([]);
  });

  it('a search rebuilds an index that is broken, of another version, or a link to another file', async () => {
    const project = await known();
    const index = join(findProject(project.root).stateDir, 'search.db');
    await search(project, 'token');
    writeFileSync(index, 'no database');
    expect(await search(project, 'chargeback')).toHaveLength(1);
    const other = join(project.home, 'other.db');
    writeFileSync(other, '');
    rmSync(index);
    symlinkSync(other, index);
    expect(await search(project, 'chargeback')).toHaveLength(1);
    const { statSync } = await import('node:fs');
    expect(statSync(other).size).toBe(0);
  });

  it('a search shows nothing of files that may hold secrets or lie outside the project', async () => {
    const project = await known();
    writeFileSync(join(project.root, 'docs/auth/.env'), 'PASSPHRASE=marmots\n');
    writeFileSync(join(project.home, 'outside.md'), '# marmots\n');
    symlinkSync(join(project.home, 'outside.md'), join(project.root, 'docs/auth/link.md'));
    expect(await search(project, 'marmots')).toEqual([]);
  });
});

it('a document is split at its headings but not within code, and long texts at paragraphs', () => {
  expect(splitDocument('before\n# One\n```sh\n# not a heading\n```\n## Two ##\n')).toEqual([
    { heading: null, line: 1, text: 'before' },
    { heading: 'One', line: 2, text: '```sh\n# not a heading\n```' },
    { heading: 'Two', line: 6, text: '' },
  ]);
  const long = splitDocument(`# Long\n${'word '.repeat(900)}\n\nrest`);
  expect(long.map(({ heading, line }) => ({ heading, line }))).toEqual([
    { heading: 'Long', line: 1 },
    { heading: 'Long', line: 4 },
  ]);
});
