import { CompiledQuery, type KyselyPlugin, type RootOperationNode } from 'kysely';
import { expect, it } from 'vitest';
import { compareReady } from '../../src/domain/tasks/dag.ts';
import type { Queue } from '../../src/queue/queue.ts';
import { addTasks } from '../../src/queue/tasks/add.ts';
import type { Writer } from '../../src/store/database.ts';
import { claimNext, countReady, nextDue, peekNext } from '../../src/store/tasks/claim.ts';
import { listTasks, updateTask } from '../../src/store/tasks/tasks.ts';
import { isReady } from '../support/is-ready.ts';
import { isOnPostgres } from '../support/postgres.ts';
import { openTestQueue } from '../support/queue.ts';

const NOW = 50_000;
const TIMES = [null, NOW - 1, NOW, NOW + 1, NOW + 9];

/** Tasks of every priority and time; the earlier half of the ids is urgent, and most of it starts later. */
async function withTimes(queue: Queue): Promise<void> {
  const ids = Array.from({ length: 40 }, (_, index) => index + 1);
  await addTasks(
    queue,
    ids.map((id) => ({
      title: `Task ${id}`,
      priority: (['critical', 'high', 'low'] as const)[id % 3] ?? 'low',
    })),
  );
  await queue.store.write(async (db) => {
    for (const id of ids)
      await updateTask(db, id, { not_before: id < 20 && id % 4 > 0 ? NOW + id : (TIMES[id % 5] ?? null) });
  });
}

it('tasks are claimed in their order, those with a later time never', async () => {
  const queue = await openTestQueue();
  await withTimes(queue);
  await queue.store.write(async (db) => {
    const expected = (await listTasks(db, {}))
      .filter((task) => isReady(task, () => 'done', NOW))
      .sort(compareReady)
      .map(({ id }) => id);
    expect(await countReady(db, NOW)).toBe(expected.length);
    const claimed: number[] = [];
    for (let next = await peekNext(db, NOW); next !== null; next = await peekNext(db, NOW)) {
      const task = await claimNext(db, NOW);
      expect(task?.id).toBe(next.id);
      claimed.push(next.id);
    }
    expect(claimed).toEqual(expected);
    expect(await claimNext(db, NOW)).toBeNull();
    expect(await nextDue(db, NOW)).toBe(NOW + 1);
  });
});

it.skipIf(isOnPostgres())(
  'a claim and the next due time are found in the index, without a scan or a sort',
  async () => {
    const queue = await openTestQueue();
    await withTimes(queue);
    const plans = await queue.store.write(async (db) => {
      const nodes: RootOperationNode[] = [];
      const plugin: KyselyPlugin = {
        transformQuery: ({ node }) => {
          nodes.push(node);
          return node;
        },
        transformResult: async ({ result }) => result,
      };
      await claimNext(db.withPlugin(plugin) as Writer, NOW);
      await nextDue(db.withPlugin(plugin), NOW);
      const found: string[] = [];
      for (const node of nodes) {
        const { sql, parameters } = db.getExecutor().compileQuery(node, { queryId: 'plan' });
        const { rows } = await db.executeQuery<{ detail: string }>(
          CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
        );
        found.push(...rows.map(({ detail }) => detail).filter((detail) => detail.includes('tasks')));
        expect(rows.map(({ detail }) => detail).join()).not.toMatch(/SCAN|TEMP B-TREE/);
      }
      return found;
    });
    const known = 'INDEX tasks_ready (status=? AND open_blockers=? AND not_before';
    const uses = plans.map((plan) => plan.split(known)[1]?.slice(0, 1)).filter((sign) => sign !== undefined);
    // Passed times, the claim itself, and the next time.
    expect([...new Set(uses)]).toEqual(['<', '=', '>']);
  },
);
