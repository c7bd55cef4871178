// Many real processes write to one database, which is removed repeatedly. Every acknowledged write must survive.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, inject, it, onTestFinished } from 'vitest';
import { readMetadata } from '../../src/store/metadata.ts';
import { openStore } from '../../src/store/open.ts';
import { tempDir } from '../support/temp.ts';

type Writer = {
  child: ChildProcess;
  acknowledged: string[];
  /** Resolves when the process has this many more acknowledged writes. */
  more(count: number): Promise<void>;
  ended: Promise<number | null>;
};

async function startWriter(path: string, name: string, restoreWithin: string | null): Promise<Writer> {
  const args = [inject('writer'), path, name, ...(restoreWithin === null ? [] : [restoreWithin])];
  const child = spawn(process.execPath, args, { env: {}, stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const acknowledged: string[] = [];
  const waiting: { until: number; wake: () => void }[] = [];
  const ended = new Promise<number | null>((resolve) => void child.on('close', resolve));
  await new Promise<void>((ready) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line === 'ready') ready();
      else if (line !== 'refused') acknowledged.push(line);
      for (const { wake } of waiting.filter(({ until }) => until <= acknowledged.length)) wake();
    });
  });
  return {
    child,
    acknowledged,
    ended,
    more: (count) => new Promise((wake) => void waiting.push({ until: acknowledged.length + count, wake })),
  };
}

/** What an agent may do: remove or move the folder, with or without a new repository in its place. */
const REMOVALS: readonly ((git: string) => void)[] = [
  (git) => rmSync(git, { recursive: true, force: true }),
  (git) => {
    rmSync(git, { recursive: true, force: true });
    mkdirSync(git, { recursive: true });
  },
  (git) => renameSync(git, `${git}-${crypto.randomUUID()}`),
];
const ROUNDS = 12;

it('no acknowledged write of many processes is lost, however often the database is removed under them', async () => {
  const root = tempDir();
  const [git, path] = [join(root, '.git'), join(root, '.git/ralph/ralph.db')];
  await (await openStore(path)).close();
  // Two work on the queue, like a supervisor and its server; the others are like commands and a dashboard.
  const writers = await Promise.all(
    ['run', 'server', 'a', 'b', 'c', 'd'].map((name, index) =>
      startWriter(path, name, index < 2 ? root : null),
    ),
  );
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(writers.map(({ more }) => more(3)));
    try {
      REMOVALS[round % REMOVALS.length]?.(git);
    } catch (error) {
      // A process restored it during the removal; the next round removes it.
      if (!['ENOTEMPTY', 'EEXIST'].includes(String((error as NodeJS.ErrnoException).code))) throw error;
    }
  }
  await Promise.all(writers.map(({ more }) => more(3)));
  for (const { child } of writers) child.stdin?.write('end\n');
  expect(await Promise.all(writers.map(({ ended }) => ended))).toEqual(writers.map(() => 0));

  const store = await openStore(path);
  onTestFinished(() => store.close());
  const kept = await store.read(readMetadata);
  const acknowledged = writers.flatMap((writer) => writer.acknowledged);
  expect(acknowledged.filter((key) => kept[key] !== 'written')).toEqual([]);
  expect(acknowledged.length).toBeGreaterThan(ROUNDS * writers.length * 3);
  expect(await store.integrityProblems()).toEqual([]);
});
