import { appendFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appendJournal } from '../../../src/project/journal/append-journal.ts';
import { readJournal } from '../../../src/project/journal/journal.ts';
import { entry } from '../../support/journal.ts';
import { tempDir } from '../../support/temp.ts';

const FILE = '.ralph/memory/auth.jsonl';
const sessionsIn = async (root: string, feature?: string | null): Promise<string[]> =>
  (await readJournal(root, feature)).entries.map((line) => line.entry.session);

describe('the journal', () => {
  it('the journal has one line per session, one file per feature, and one file for tasks without a feature', async () => {
    const root = tempDir();
    await appendJournal(root, entry('a'));
    await appendJournal(root, entry('b'));
    await appendJournal(root, entry('c', { feature: null }));
    expect(readdirSync(join(root, '.ralph/memory')).sort()).toEqual(['_.jsonl', 'auth.jsonl']);
    expect(await sessionsIn(root, 'auth')).toEqual(['a', 'b']);
    expect(await sessionsIn(root, null)).toEqual(['c']);
    expect((await readJournal(root)).entries.map(({ at }) => at)).toEqual([
      '.ralph/memory/_.jsonl:1',
      '.ralph/memory/auth.jsonl:1',
      '.ralph/memory/auth.jsonl:2',
    ]);
  });

  it('a line torn by a kill is reported, and the other lines are read', async () => {
    const root = tempDir();
    await appendJournal(root, entry('a'));
    appendFileSync(join(root, FILE), JSON.stringify(entry('b')).slice(0, 100));
    expect(await readJournal(root)).toMatchObject({
      entries: [{ entry: { session: 'a' } }],
      problems: [`${FILE}:2: is not a whole line of JSON; it is left out`],
    });
    await appendJournal(root, entry('c'));
    expect(await sessionsIn(root)).toEqual(['a', 'c']);
  });

  it('the line of a session is written again if a kill tore it at any byte', async () => {
    const whole = JSON.stringify(entry('a'));
    for (let cut = 1; cut <= whole.length; cut += 7) {
      const root = tempDir();
      mkdirSync(join(root, '.ralph/memory'), { recursive: true });
      writeFileSync(join(root, FILE), whole.slice(0, cut));
      await appendJournal(root, entry('a'));
      await appendJournal(root, entry('a'));
      expect(await sessionsIn(root)).toEqual(['a']);
    }
  });

  it('a session whose line ends a full file gets no second line', async () => {
    const root = tempDir();
    const lines = (kilobytes: number) => ({ decisions: Array(kilobytes).fill('x'.repeat(1024)) });
    await appendJournal(root, entry('a', lines(900)));
    for (const _ of [1, 2]) await appendJournal(root, entry('b', lines(150)));
    expect(readdirSync(join(root, '.ralph/memory'))).toEqual(['auth.jsonl']);
    expect((await readJournal(root)).problems).toEqual([]);
  });

  it('a repeated line, a line of another version and an invalid line are reported and left out', async () => {
    const root = tempDir();
    await appendJournal(root, entry('a'));
    await appendJournal(root, entry('a'));
    expect(readFileSync(join(root, FILE), 'utf8').split('\n')).toHaveLength(2);
    for (const line of [
      entry('a'),
      { ...entry('b'), v: 9 },
      { ...entry('c'), turns: 'many' },
      entry('d'),
      { ...entry('e'), cost_usd: 1e308 },
    ])
      appendFileSync(join(root, FILE), `${JSON.stringify(line)}\n`);
    const { entries, problems } = await readJournal(root);
    expect(entries.map((line) => line.entry.session)).toEqual(['a', 'd']);
    expect(problems).toEqual([
      `${FILE}:3: has version 9, this Ralph knows 1; it is left out`,
      expect.stringMatching(new RegExp(`^${FILE}:4: turns .*; it is left out$`)),
      expect.stringMatching(new RegExp(`^${FILE}:6: cost_usd .*; it is left out$`)),
      `${FILE}:2: the session a has a line already, ${FILE}:1; this one is left out`,
    ]);
  });

  it('the journal starts a new file when one is full', async () => {
    const root = tempDir();
    const long = { decisions: ['x'.repeat(150 * 1024)] };
    for (const name of 'abcdefghi') await appendJournal(root, entry(name, long));
    expect(readdirSync(join(root, '.ralph/memory'))).toEqual(['auth.jsonl', 'auth~2.jsonl']);
    expect(await sessionsIn(root, 'auth')).toEqual([...'abcdefghi']);
  });

  it('the journal is neither written nor read through a link', async () => {
    const root = tempDir();
    const outside = join(tempDir(), 'outside.jsonl');
    writeFileSync(outside, `${JSON.stringify(entry('secret'))}\n`);
    mkdirSync(join(root, '.ralph/memory'), { recursive: true });
    symlinkSync(outside, join(root, FILE));
    await expect(appendJournal(root, entry('a'))).rejects.toThrow(/The journal cannot be written \(ELOOP\)/);
    expect(await sessionsIn(root)).toEqual([]);
    expect(readFileSync(outside, 'utf8').split('\n')).toHaveLength(2);
  });

  it('a feature whose name is too long for a file has a journal too', async () => {
    const root = tempDir();
    const feature = '長'.repeat(100);
    await appendJournal(root, entry('a', { feature }));
    expect(await sessionsIn(root, feature)).toEqual(['a']);
  });
});
