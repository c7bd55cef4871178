// Many real processes write to one database, which is removed repeatedly. Every acknowledged write must survive.
import { spawn } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, inject, it, onTestFinished } from 'vitest';
import { readMetadata } from '../../src/store/metadata.ts';
import { openStore } from '../../src/store/open.ts';
import { tempDir } from '../support/temp.ts';

type Writer = {
  /** Asks for this many writes. */
  ask(count: number): void;
  acknowledged: string[];
  end(): Promise<number | null>;
};

async function startWriter(
  path: string,
  name: string,
  restoreWithin: string | null,
  onLine: () => void,
): Promise<Writer> {
  const args = [inject('writer'), path, name, ...(restoreWithin === null ? [] : [restoreWithin])];
  const child = spawn(process.execPath, args, { env: {}, stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const acknowledged: string[] = [];
  const ended = new Promise<number | null>((resolve) => void child.on('close', resolve));
  await new Promise<void>((ready) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line === 'ready') return ready();
      acknowledged.push(line);
      onLine();
    });
  });
  return {
    ask: (count) => void child.stdin.write('write\n'.repeat(count)),
    acknowledged,
    end: () => {
      child.stdin.end();
      return ended;
    },
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
const RESTORERS = 2;
/** The writes of one process in one round. */
const WRITES = 6;
const HEARTBEAT_MS = 1_000;

it('no acknowledged write of many processes is lost, however often the database is removed under them', async () => {
  const root = tempDir();
  const [git, path] = [join(root, '.git'), join(root, '.git/ralph/ralph.db')];
  await (await openStore(path)).close();
  let wake = (): void => {};
  // Two work on the queue, like a supervisor and its server; the others are like commands and a dashboard.
  const writers = await Promise.all(
    ['run', 'server', 'a', 'b', 'c', 'd'].map((name, index) =>
      startWriter(path, name, index < RESTORERS ? root : null, () => wake()),
    ),
  );
  const restorers = writers.slice(0, RESTORERS);
  const acknowledged = (): string[] => writers.flatMap((writer) => writer.acknowledged);
  let asked = 0;
  const ask = (some: readonly Writer[], count: number): void => {
    for (const writer of some) writer.ask(count);
    asked += some.length * count;
  };
  const haveWritten = (count: () => number): Promise<void> =>
    new Promise((resolve) => {
      wake = () => void (acknowledged().length >= count() && resolve());
      wake();
    });
  // A supervisor and its server do not end their writes for good: what is removed after one of them is restored by the next.
  const heartbeat = setInterval(() => ask(restorers, 1), HEARTBEAT_MS);
  onTestFinished(() => clearInterval(heartbeat));
  for (let round = 0; round < ROUNDS; round++) {
    const before = acknowledged().length;
    ask(writers, WRITES);
    // Some have finished the round by then, others are in the middle of it.
    await haveWritten(() => before + (writers.length * WRITES) / 2);
    try {
      REMOVALS[round % REMOVALS.length]?.(git);
    } catch (error) {
      // A process restored it during the removal; the next round removes it.
      if (!['ENOTEMPTY', 'EEXIST'].includes(String((error as NodeJS.ErrnoException).code))) throw error;
    }
    // Those that restore the database may have finished the round before it was removed.
    ask(restorers, 1);
    await haveWritten(() => asked);
  }
  clearInterval(heartbeat);
  expect(await Promise.all(writers.map(({ end }) => end()))).toEqual(writers.map(() => 0));

  const store = await openStore(path);
  onTestFinished(() => store.close());
  const kept = await store.read(readMetadata);
  expect(acknowledged().filter((key) => kept[key] !== 'written')).toEqual([]);
  expect(acknowledged().length).toBe(asked);
  expect(await store.integrityProblems()).toEqual([]);
});
