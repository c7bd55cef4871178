// The queue under arbitrary operations, against a database file: what must hold after each of them.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Refusal } from '../../src/domain/refusal.ts';
import type { SessionEnd } from '../../src/domain/sessions/session.ts';
import type { Signal } from '../../src/domain/sessions/signal.ts';
import { compareReady } from '../../src/domain/tasks/dag.ts';
import { isLegal } from '../../src/domain/tasks/status.ts';
import { PRIORITIES, type Status } from '../../src/domain/tasks/task.ts';
import type { Queue } from '../../src/queue/queue.ts';
import { checkHealth } from '../../src/queue/queue.ts';
import { addTask } from '../../src/queue/tasks/add.ts';
import { answer } from '../../src/queue/tasks/answer.ts';
import { approve, retry, skip } from '../../src/queue/tasks/decide.ts';
import { editTask } from '../../src/queue/tasks/edit.ts';
import { list } from '../../src/queue/tasks/list.ts';
import { removeTasks } from '../../src/queue/tasks/remove.ts';
import { peek } from '../../src/queue/tasks/status.ts';
import { eventsAfter } from '../../src/store/events.ts';
import { isReady } from '../support/is-ready.ts';
import { EXITED, effectsWith, gateResult, runSession, withQueue } from '../support/queue.ts';
import { tries } from '../support/tries.ts';

const MOST = 8;
const id = fc.integer({ min: 1, max: MOST });
const ids = fc.uniqueArray(id, { maxLength: 3 });

const closing: fc.Arbitrary<Signal[]> = fc.constantFrom<Signal[]>(
  [{ verb: 'done', summary: 's' }],
  [{ verb: 'partial', summary: 's', remaining: 'r' }],
  [{ verb: 'stuck', reason: 'r' }],
  [
    { verb: 'stuck', reason: 'r' },
    { verb: 'done', summary: 's' },
  ],
  [],
);
const saying: fc.Arbitrary<Signal> = fc.oneof(
  fc.constant<Signal>({ verb: 'ask', question: 'q', blocking: true }),
  fc.constant<Signal>({ verb: 'blocked', on: 'vendor', kind: 'external' }),
  fc.constant<Signal>({ verb: 'suggest', what: 'more', kind: 'new_task', why: 'w' }),
  id.map((on): Signal => ({ verb: 'blocked', on: String(on), kind: 'upstream_task' })),
);
const end: fc.Arbitrary<SessionEnd> = fc.constantFrom<SessionEnd>(
  EXITED,
  { kind: 'limit', limit: 'turns', changed_files: true },
  { kind: 'infrastructure', fault: 'overloaded', resume_at: null },
);

type Operation = { name: string; run: (queue: Queue) => Promise<unknown> };
const operation = <T>(
  name: string,
  value: fc.Arbitrary<T>,
  run: (queue: Queue, value: T) => Promise<unknown>,
) =>
  value.map(
    (given): Operation => ({ name: `${name} ${JSON.stringify(given)}`, run: (queue) => run(queue, given) }),
  );

const operations: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 3,
    arbitrary: operation(
      'add',
      fc.record({ depends_on: ids, draft: fc.boolean(), priority: fc.constantFrom(...PRIORITIES) }),
      (queue, input) => addTask(queue, { title: 'task', ...input }),
    ),
  },
  {
    weight: 2,
    arbitrary: operation('link', fc.tuple(id, ids), (queue, [task, depends_on]) =>
      editTask(queue, task, { depends_on }),
    ),
  },
  {
    weight: 6,
    arbitrary: operation(
      'session',
      fc.tuple(fc.array(saying, { maxLength: 2 }), closing, fc.boolean(), end),
      (queue, [said, closed, passed, ended]) =>
        runSession(queue, [...said, ...closed], { effects: effectsWith(gateResult(passed)), end: ended }),
    ),
  },
  { weight: 1, arbitrary: operation('approve', id, (queue, task) => approve(queue, [task])) },
  { weight: 2, arbitrary: operation('retry', id, (queue, task) => retry(queue, [task])) },
  { weight: 1, arbitrary: operation('skip', id, (queue, task) => skip(queue, [task])) },
  {
    weight: 2,
    arbitrary: operation(
      'remove',
      fc.record({ ids: fc.uniqueArray(id, { minLength: 1, maxLength: 2 }), replacement: fc.option(id) }),
      (queue, removal) => removeTasks(queue, removal, { verify: false }),
    ),
  },
  { weight: 2, arbitrary: operation('answer', id, (queue, question) => answer(queue, question, 'a')) },
);

it('the queue stays consistent under arbitrary operations', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operations, { minLength: 5, maxLength: 40 }), (steps) =>
      withQueue(async (queue) => {
        for (const { run } of steps) {
          const before = await everything(queue);
          try {
            await run(queue);
          } catch (error) {
            if (!isExpected(error)) throw error;
            // Wrong input changes nothing.
            if (error instanceof Refusal) expect(await everything(queue)).toEqual(before);
          }
          await check(queue);
        }
        await checkHistory(queue);
      }),
    ),
    { numRuns: tries(60) },
  );
});

const isExpected = (error: unknown): boolean =>
  error instanceof Refusal || (error as Error).message === 'nothing is ready';

const everything = async (queue: Queue) => JSON.stringify(await list(queue, { archived: 'too' }));

async function check(queue: Queue): Promise<void> {
  const tasks = await list(queue, { archived: 'too' });
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const statusOf = (task: number): Status | undefined => byId.get(task)?.status;
  const ready = tasks.filter((task) => isReady(task, statusOf, Number.MAX_SAFE_INTEGER));
  const [first] = ready.map((task) => ({ ...task, feature_rank: 0 })).sort(compareReady);
  expect((await peek(queue))?.id).toBe(first?.id);
  for (const task of tasks) {
    // Nothing is parked without a reason that a person can remove.
    const waits = task.depends_on.some((one) => statusOf(one) !== 'done' && statusOf(one) !== 'skipped');
    if (task.status === 'blocked') expect(waits || task.blocked_by !== null).toBe(true);
    expect(task.status).not.toBe('in_progress');
    // A removed task is over: nothing waits for it, and nobody can claim it.
    if (task.archived !== null) expect(['done', 'skipped']).toContain(task.status);
  }
  expect(await checkHealth(queue)).toEqual({ integrity: [], miscounted: [] });
}

/** Every change of status is in the events, is legal, and starts where the one before ended. */
async function checkHistory(queue: Queue): Promise<void> {
  const statuses = new Map<number, Status>();
  for (const event of await queue.store.read((db) => eventsAfter(db, 0, 10_000))) {
    if (event.kind === 'task.added')
      statuses.set(event.task_id ?? 0, (event.data as { status: Status }).status);
    if (event.kind !== 'task.status') continue;
    const { from, to, cause } = event.data as {
      from: Status;
      to: Status;
      cause: Parameters<typeof isLegal>[0];
    };
    expect(statuses.get(event.task_id ?? 0)).toBe(from);
    expect(isLegal(cause, from, to)).toBe(true);
    statuses.set(event.task_id ?? 0, to);
  }
  for (const task of await list(queue, { archived: 'too' })) expect(statuses.get(task.id)).toBe(task.status);
}
