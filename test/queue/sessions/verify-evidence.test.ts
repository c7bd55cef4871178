import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unprovenText } from '../../../src/domain/sessions/evidence.ts';
import { NO_WORK } from '../../../src/domain/sessions/gate.ts';
import { applyDefinitions, NO_DEFINITIONS } from '../../../src/queue/definitions/apply-definitions.ts';
import type { Queue } from '../../../src/queue/queue.ts';
import {
  findBrokenAnchors,
  verifyEvidence,
  watchEvidence,
} from '../../../src/queue/sessions/verify-evidence.ts';
import { addTask } from '../../../src/queue/tasks/add.ts';
import { reopen } from '../../../src/queue/tasks/change-status.ts';
import { approve, decideDrafts, retry } from '../../../src/queue/tasks/decide.ts';
import { recordFeature } from '../../../src/queue/tasks/features.ts';
import { removeTasks } from '../../../src/queue/tasks/remove.ts';
import { show } from '../../../src/queue/tasks/show.ts';
import { openBetterSqlite } from '../../../src/store/better-sqlite.ts';
import { effectsWith, gateResult, openTestQueue, runSession } from '../../support/queue.ts';
import { tries } from '../../support/tries.ts';

const DONE = [{ verb: 'done', summary: 'Built.' }] as const;
const vouch = (queue: Queue, id: number) => decideDrafts(queue, { queued: [id], dropped: [], verify: false });

/** As an agent would that has found the database: past Ralph. */
function tamper(queue: Queue, sql: string, ...values: unknown[]): number {
  const database = openBetterSqlite(queue.store.path);
  try {
    database.pragma('foreign_keys = off');
    return database.prepare(sql).run(...values).changes;
  } finally {
    database.close();
  }
}

async function workedQueue(count = 3): Promise<Queue> {
  const queue = await openTestQueue();
  for (let number = 1; number <= count; number++) {
    await addTask(queue, { title: `Task ${number}` });
    await runSession(queue, DONE, { effects: effectsWith(gateResult(true)) });
  }
  return queue;
}

describe('a done without a proof', () => {
  it('a task that something else than Ralph set to done is unproven, and named with what to do', async () => {
    const queue = await workedQueue(1);
    await addTask(queue, { title: 'Forged' });
    tamper(queue, "update tasks set status = 'done', completed = 5 where id = 2");
    expect((await verifyEvidence(queue)).unproven).toEqual([2]);
    expect(unprovenText([2])).toBe(
      'Task 2 is done, but nothing proves it: do it again with ralph retry 2, or vouch for it with ralph approve 2.',
    );
  });

  it('the receipt of an earlier done does not vouch for a task that was reopened since', async () => {
    const queue = await workedQueue(1);
    await reopen(queue, 1, 'once more');
    tamper(queue, "update tasks set status = 'done' where id = 1");
    expect((await verifyEvidence(queue)).unproven).toEqual([1]);
  });

  it('retry puts an unproven done back into the queue, and refuses a proven one', async () => {
    const queue = await workedQueue(2);
    tamper(queue, 'delete from evidence where task_id = 2');
    await expect(retry(queue, [1])).rejects.toThrow('Cannot retry task 1: it is done');
    expect((await retry(queue, [2])).map(({ status }) => status)).toEqual(['pending']);
    await runSession(queue, DONE, { effects: effectsWith(gateResult(true)) });
    expect((await verifyEvidence(queue)).unproven).toEqual([]);
  });

  it('a person who vouches for an unproven done settles it, with a comment that says so', async () => {
    const queue = await workedQueue(1);
    tamper(queue, "update receipts set summary = 'Built much more.'");
    expect((await verifyEvidence(queue)).unproven).toEqual([1]);
    await vouch(queue, 1);
    expect(await verifyEvidence(queue)).toMatchObject({ unproven: [], broken: [] });
    expect((await show(queue, 1)).comments.at(-1)?.body).toContain('a person vouched for it');
    await expect(vouch(queue, 1)).rejects.toThrow('Cannot approve task 1: it is done');
  });

  it('what a file calls done, a person accepted or a later commit holds is no error', async () => {
    const queue = await workedQueue(1);
    const old = {
      at: 'tasks.yaml:1',
      id: 9,
      fields: { title: 'Long ago' },
      state: { status: 'done' },
    } as const;
    await applyDefinitions(queue, { ...NO_DEFINITIONS, tasks: [old] }, 'import');
    await addTask(queue, { title: 'Committed later', feature: null });
    const uncommitted = { ...effectsWith(gateResult(true)), commit: async () => NO_WORK };
    const { id } = await runSession(queue, DONE, { effects: uncommitted });
    const work = { name: 'none', title: '', sessions: [], last: { id: '', base_commit: null }, at: 1 };
    await recordFeature(queue, { ...work, tasks: [{ id, title: '', summary: '' }] }, 'c0ffee');
    expect((await show(queue, id)).receipt?.commit).toBe('c0ffee');
    await removeTasks(queue, { ids: [9], replacement: null }, { verify: false });
    await addTask(queue, { title: 'A draft', draft: true });
    expect(await verifyEvidence(queue)).toMatchObject({ unproven: [], broken: [] });
  });
});

describe('the chain of evidence', () => {
  it('the receipt that was changed first is the first that is named', async () => {
    const queue = await workedQueue(3);
    tamper(queue, 'update receipts set cost_usd = 0.5 where task_id = 3');
    tamper(queue, "update receipts set gates = '[]' where task_id = 2");
    const { broken } = await verifyEvidence(queue);
    expect(broken.map(({ task_id, problem }) => ({ task_id, problem }))).toEqual([
      { task_id: 2, problem: 'changed' },
      { task_id: 3, problem: 'changed' },
    ]);
  });

  it('a receipt that was written past Ralph is named', async () => {
    const queue = await workedQueue(1);
    await addTask(queue, { title: 'Forged' });
    await runSession(queue, [{ verb: 'partial', summary: 'Some', remaining: 'Most' }]);
    tamper(
      queue,
      `insert into receipts (task_id, session_id, summary, gates, turns, input_tokens, output_tokens, cost_usd, created)
       select task_id, id, 'Built.', '[]', 1, 1, 1, 0, 1 from sessions where task_id = 2`,
    );
    expect((await verifyEvidence(queue)).broken).toMatchObject([{ task_id: 2, problem: 'not recorded' }]);
  });

  it('a chain that was rewritten as a whole differs from the hashes that the journal has', async () => {
    const queue = await workedQueue(2);
    const receipts = [(await show(queue, 1)).receipt, (await show(queue, 2)).receipt];
    tamper(queue, "update sessions set root = '/project'");
    const anchors = new Map(receipts.map((one) => [one?.session_id ?? '', one?.hash ?? '']));
    expect(await findBrokenAnchors(queue, anchors)).toEqual([]);
    tamper(queue, "update evidence set hash = 'other' where task_id = 2");
    expect(await findBrokenAnchors(queue, anchors)).toMatchObject([
      { task_id: 2, problem: 'unlike the journal' },
    ]);
  });

  it('a run sees what was rewritten behind it, and what was forged since', async () => {
    const queue = await workedQueue(2);
    const check = watchEvidence(queue);
    expect((await check()).unproven).toEqual([]);
    await addTask(queue, { title: 'Next' });
    await runSession(queue, DONE, { effects: effectsWith(gateResult(true)) });
    expect((await check()).unproven).toEqual([]);
    tamper(queue, "update evidence set hash = 'other' where id = 3");
    expect((await check()).unproven).toEqual([3]);
  });

  it('of the last rows alone, what was changed among them is seen', async () => {
    const queue = await workedQueue(3);
    tamper(queue, "update receipts set summary = 'x' where task_id in (1, 3)");
    const { broken } = await verifyEvidence(queue, { last: 1 });
    expect(broken.map(({ task_id }) => task_id)).toEqual([3]);
  });
});

const RECEIPT_FIELDS = [
  ...['task_id', 'summary', 'gates', 'commit_id', 'tree_hash', 'diff_stat', 'model', 'turns'],
  ...['input_tokens', 'output_tokens', 'cost_usd', 'learnings', 'created', 'no_change_reason'],
];
const EVIDENCE_FIELDS = ['at', 'kind', 'task_id', 'receipt_id', 'digest', 'commit_id', 'hash'];
const NUMBERS = [
  'task_id',
  'turns',
  'input_tokens',
  'output_tokens',
  'cost_usd',
  'created',
  'at',
  'receipt_id',
];

it('any change of a receipt or of its evidence, any deletion and any swap is seen, and an honest history never is', async () => {
  const queue = await workedQueue(5);
  await reopen(queue, 2, 'once more');
  await runSession(queue, DONE, { effects: effectsWith(gateResult(true)) });
  await addTask(queue, { title: 'A draft', draft: true });
  await approve(queue, [6]);
  const honest = await verifyEvidence(queue);
  expect(honest).toMatchObject({ unproven: [], broken: [] });
  const row = fc.integer({ min: 1, max: 6 });
  const change = fc.oneof(
    fc.record({
      table: fc.constant('receipts'),
      field: fc.constantFrom(...RECEIPT_FIELDS),
      row,
      by: fc.string({ minLength: 1 }),
    }),
    fc.record({
      table: fc.constant('evidence'),
      field: fc.constantFrom(...EVIDENCE_FIELDS),
      row,
      by: fc.string({ minLength: 1 }),
    }),
  );
  const database = openBetterSqlite(queue.store.path);
  database.pragma('foreign_keys = off');
  database.pragma('ignore_check_constraints = on');
  const restored = async (work: () => number): Promise<void> => {
    const tables = ['receipts', 'evidence'] as const;
    const before = tables.map((table) => database.prepare(`select * from ${table}`).all() as object[]);
    const changes = work();
    const { broken, unproven } = await verifyEvidence(queue);
    for (const [index, table] of tables.entries()) {
      database.exec(`delete from ${table}`);
      for (const values of before[index] ?? [])
        database
          .prepare(
            `insert into ${table} values (${Object.keys(values)
              .map(() => '?')
              .join()})`,
          )
          .run(...Object.values(values));
    }
    if (changes > 0) expect(broken.length + unproven.length).toBeGreaterThan(0);
  };
  await fc.assert(
    fc.asyncProperty(change, ({ table, field, row: id, by }) =>
      restored(() => {
        const value = NUMBERS.includes(field)
          ? `coalesce(${field}, 0) + ${by.length}`
          : `coalesce(${field}, '') || ?`;
        const values = NUMBERS.includes(field) ? [id] : [by.replaceAll('\0', '0'), id];
        return database.prepare(`update ${table} set ${field} = ${value} where id = ?`).run(...values)
          .changes;
      }),
    ),
    { numRuns: tries(150) },
  );
  for (let id = 1; id <= 8; id++) {
    await restored(() => database.prepare('delete from receipts where id = ?').run(id).changes);
    // A reopened task needs no word that vouches for it.
    await restored(() => database.prepare('delete from evidence where id = ?').run(id).changes);
  }
  for (const [one, other] of [
    [1, 2],
    [2, 5],
    [3, 4],
  ] as const)
    for (const table of ['receipts', 'evidence'])
      await restored(() => {
        const swap = database.prepare(`update ${table} set id = ? where id = ?`);
        for (const [to, from] of [
          [99, one],
          [one, other],
          [other, 99],
        ] as const)
          swap.run(to, from);
        return 1;
      });
  expect(await verifyEvidence(queue)).toEqual(honest);
  database.close();
});
