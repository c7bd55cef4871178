// The queue gets exactly what a planning session changed in its copy, and loses no other change.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Refusal } from '../../../src/domain/refusal.ts';
import { createFeature } from '../../../src/queue/definitions/edit.ts';
import { applyProposal } from '../../../src/queue/planning/apply-proposal.ts';
import { enrich } from '../../../src/queue/planning/enrich.ts';
import { readProposal } from '../../../src/queue/planning/read-proposal.ts';
import { checkHealth, closeQueue, lastChangeId, openQueue, type Queue } from '../../../src/queue/queue.ts';
import { addTasks } from '../../../src/queue/tasks/add.ts';
import { approve } from '../../../src/queue/tasks/decide.ts';
import { editTask } from '../../../src/queue/tasks/edit.ts';
import { allFeatures } from '../../../src/queue/tasks/features.ts';
import { list } from '../../../src/queue/tasks/list.ts';
import { withQueue } from '../../support/queue.ts';
import { makeTempDir } from '../../support/temp.ts';
import { tries } from '../../support/tries.ts';

const id = fc.integer({ min: 1, max: 8 });
/** No recipe both makes tasks and enriches them. */
const old = fc.integer({ min: 1, max: 3 });
const title = fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F');

/** What a session may do with its tools; many calls are refused, as in a real session. */
const step = fc.oneof(
  fc.record({
    kind: fc.constant('add' as const),
    tasks: fc.array(fc.record({ title, depends_on: fc.array(fc.oneof(id, title), { maxLength: 2 }) }), {
      minLength: 1,
      maxLength: 3,
    }),
  }),
  fc.record({ kind: fc.constant('feature' as const), name: fc.constantFrom('x', 'y') }),
  fc.record({
    kind: fc.constant('edit' as const),
    id,
    depends_on: fc.array(id, { maxLength: 2 }),
    hints: title,
  }),
  fc.record({ kind: fc.constant('enrich' as const), id: old, pseudocode: title, keep_draft: fc.boolean() }),
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

async function take(queue: Queue, one: Step): Promise<void> {
  try {
    switch (one.kind) {
      case 'add':
        await addTasks(
          queue,
          one.tasks.map((task) => ({ ...task, draft: true })),
          { unique: 'ever' },
        );
        break;
      case 'feature':
        await createFeature(queue, { name: one.name, fields: { priority: 1, spec_file: 'specs/x.md' } });
        break;
      case 'edit':
        await editTask(queue, one.id, { depends_on: one.depends_on, hints: one.hints });
        break;
      case 'enrich':
        await enrich(queue, one.id, { pseudocode: one.pseudocode }, { keep_draft: one.keep_draft });
        break;
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

async function onCopy<T>(queue: Queue, work: (copy: Queue, base: number) => Promise<T>): Promise<T> {
  const folder = makeTempDir();
  const path = join(folder, 'ralph.db');
  await queue.store.copyTo(path);
  const copy = await openQueue(path, queue.now);
  try {
    return await work(copy, await lastChangeId(copy));
  } finally {
    await closeQueue(copy);
    rmSync(folder, { recursive: true });
  }
}

const seed = (queue: Queue): Promise<unknown> =>
  addTasks(queue, [
    { title: 'Old 1', draft: true },
    { title: 'Old 2', draft: true, depends_on: ['Old 1'] },
    { title: 'Old 3' },
  ]);

/** All that a proposal carries; times and tokens are the queue's own. */
async function contentOf(queue: Queue): Promise<unknown> {
  const tasks = await list(queue, {});
  const features = await allFeatures(queue);
  return {
    features: features.map(({ feature: { created: _, updated: __, ...feature } }) => feature),
    tasks: tasks.map(({ created: _, updated: __, enriched_at, ...task }) => ({
      ...task,
      is_enriched: enriched_at !== null,
    })),
  };
}

const REVERSED_EDGE: Step[] = [
  { kind: 'edit', id: 2, depends_on: [], hints: 'A' },
  { kind: 'edit', id: 1, depends_on: [2], hints: 'A' },
];

it('an applied proposal makes the queue equal to the copy', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), (steps) =>
      withQueue(async (queue) => {
        await seed(queue);
        await onCopy(queue, async (copy, base) => {
          for (const one of steps) await take(copy, one);
          const before = await contentOf(queue);
          const proposal = await readProposal(queue, copy, base);
          // Reading one changes nothing.
          expect(await contentOf(queue)).toEqual(before);
          // The proposal was stored as text meanwhile.
          await applyProposal(queue, JSON.parse(JSON.stringify(proposal)), 'draft');
          expect(await contentOf(queue)).toEqual(await contentOf(copy));
          expect(await checkHealth(queue)).toEqual({ integrity: [], miscounted: [] });
        });
      }),
    ),
    { numRuns: tries(25), examples: [[REVERSED_EDGE]] },
  );
});

it('a proposal leaves tasks that were changed meanwhile as they are', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 6 }), fc.array(old), (steps, touched) =>
      withQueue(async (queue) => {
        await seed(queue);
        await onCopy(queue, async (copy, base) => {
          for (const one of steps) await take(copy, one);
          for (const one of touched) await editTask(queue, one, { description: 'Mine.' });
          await addTasks(queue, [{ title: 'In between' }]);
          if (touched.includes(1)) await approve(queue, [1]);
          const mine = (await list(queue, {})).filter((task) => touched.includes(task.id));
          const proposal = await readProposal(queue, copy, base);
          expect(proposal.changed.filter(({ id: changed }) => touched.includes(changed))).toEqual([]);
          await applyProposal(queue, proposal, 'pending').catch((error: unknown) => {
            // A link that closes a cycle only now.
            if (!(error instanceof Refusal)) throw error;
          });
          const after = await list(queue, {});
          expect(after.filter(({ id: one }) => touched.includes(one))).toMatchObject(
            mine.map(({ description, status, hints, depends_on }) => ({
              description,
              status,
              hints,
              depends_on,
            })),
          );
          expect(await checkHealth(queue)).toEqual({ integrity: [], miscounted: [] });
        });
      }),
    ),
    { numRuns: tries(20) },
  );
});
