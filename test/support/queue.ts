import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import type { Learning } from '../../src/domain/learnings/learning.ts';
import { maskSecrets } from '../../src/domain/secrets/mask-secrets.ts';
import type { GateResult } from '../../src/domain/sessions/gate.ts';
import { NO_WORK } from '../../src/domain/sessions/gate.ts';
import { NO_USAGE, type SessionEnd, type Usage, type WorkTrees } from '../../src/domain/sessions/session.ts';
import type { Decision } from '../../src/domain/sessions/settle.ts';
import type { Signal } from '../../src/domain/sessions/signal.ts';
import { type LearnResult, learn } from '../../src/queue/learnings/learn.ts';
import { recordGivenLearnings } from '../../src/queue/learnings/learnings.ts';
import { closeQueue, openQueue, type Queue } from '../../src/queue/queue.ts';
import { type Effects, finish } from '../../src/queue/sessions/finish.ts';
import { record } from '../../src/queue/sessions/record.ts';
import { startRun } from '../../src/queue/sessions/runs.ts';
import { claim } from '../../src/queue/tasks/claim.ts';
import type { Store } from '../../src/store/open.ts';
import { isOnPostgres, takeStore, testDatabase } from './postgres.ts';
import { makeTempDir, tempDir } from './temp.ts';

export const LIMITS = { max_attempts: 3, stuck: 3 };
/** A recovery that finds every session in its own work tree. */
export const TREES: WorkTrees = { root: '/project', has: () => true };
export const EXITED: SessionEnd = { kind: 'exited', exit_code: 0 };

/** A real database, and a clock that moves by one with every look at it. */
export async function openTestQueue(folder?: string): Promise<Queue> {
  if (!isOnPostgres()) return openQueueAt(await emptyDatabase(folder ?? tempDir()));
  const { store, giveBack } = await takeStore();
  onTestFinished(giveBack);
  return queueOn(store);
}

export async function openQueueAt(place: string): Promise<Queue> {
  const queue = await openQueue(place, ticking());
  onTestFinished(() => closeQueue(queue));
  return queue;
}

/** A file in the folder; or a database of the running test's own, where the tests run on PostgreSQL. */
export const testPlace = async (folder: string): Promise<string> =>
  isOnPostgres() ? testDatabase() : emptyDatabase(folder);

/** The same for a property, which needs many of them in one test. */
export async function withQueue<T>(work: (queue: Queue) => Promise<T>): Promise<T> {
  if (isOnPostgres()) {
    const { store, giveBack } = await takeStore();
    return work(queueOn(store)).finally(giveBack);
  }
  const folder = makeTempDir();
  const queue = await openQueue(await emptyDatabase(folder), ticking());
  try {
    return await work(queue);
  } finally {
    await closeQueue(queue);
    rmSync(folder, { recursive: true });
  }
}

const queueOn = (store: Store): Queue => ({ store, now: ticking(), mask: maskSecrets({}) });

let prototype: Promise<string> | null = null;

/** A copy of one that is made once for the worker: the migrations take longer than most tests. One that is there stays. */
async function emptyDatabase(folder: string): Promise<string> {
  prototype ??= makePrototype();
  const path = join(folder, 'ralph.db');
  if (!existsSync(path)) copyFileSync(await prototype, path);
  return path;
}

/** Beside the programs of all tests, which are removed when the last one has ended. */
async function makePrototype(): Promise<string> {
  const path = join(mkdtempSync(join(dirname(inject('worker')), 'queue-')), 'ralph.db');
  await closeQueue(await openQueue(path));
  return path;
}

function ticking(): () => number {
  let now = 1_000;
  return () => now++;
}

export const gateResult = (passed: boolean, required = true): GateResult => ({
  name: 'test',
  command: 'npm test',
  definition: 'test',
  required,
  passed,
  exit_code: passed ? 0 : 1,
  duration_ms: 5,
  tail: passed ? '' : '2 failed, first retry.spec.ts:41',
  log: null,
  tree_hash: null,
  was_red: false,
});

export const effectsWith = (...gates: GateResult[]): Effects => ({
  runGates: async () => gates,
  commit: async () => ({ ...NO_WORK, commit: 'a1b2c3d' }),
});

/** As a person would, or an agent that holds no task. */
export const teach = (
  queue: Queue,
  body: string,
  feature: string | null = null,
  more: Partial<Pick<Learning, 'reason' | 'category'>> = {},
): Promise<LearnResult> =>
  learn(queue, {
    feature,
    scope: feature === null ? 'project' : 'feature',
    category: 'gotcha',
    body,
    reason: null,
    discipline: null,
    author: 'person',
    ...more,
  });

let sessions = 0;
export const newSessionId = (): string => `session-${++sessions}`;

/** One whole session on the next ready task: claim, say the signals, end. */
export async function runSession(
  queue: Queue,
  signals: readonly Signal[],
  {
    effects = effectsWith(),
    end = EXITED,
    given = [],
    usage = NO_USAGE,
    run_id: chosen,
    session_id: named = newSessionId(),
  }: {
    effects?: Effects;
    end?: SessionEnd;
    given?: readonly number[];
    usage?: Usage;
    /** Of a run of its own, unless one is given. */
    run_id?: number;
    session_id?: string;
  } = {},
): Promise<{ id: number; session_id: string; decision: Decision }> {
  const run_id = chosen ?? (await startRun(queue, { pid: process.pid, process_started: null }));
  const claimed = await claim(queue, { run_id, session_id: named });
  if (claimed === null) throw new Error('nothing is ready');
  const session_id = claimed.session.id;
  await recordGivenLearnings(queue, session_id, given);
  for (const signal of signals) await record(queue, { session_id, call_id: null, signal });
  const decision = await finish(queue, { session_id, run_id, end, usage, effects, limits: LIMITS });
  return { id: claimed.task.id, session_id, decision };
}
