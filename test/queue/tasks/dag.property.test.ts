import fc from 'fast-check';
import { expect, it } from 'vitest';
import { applyDefinitions } from '../../../src/queue/definitions/apply-definitions.ts';
import type { Queue } from '../../../src/queue/queue.ts';
import { startRun } from '../../../src/queue/sessions/runs.ts';
import { addTasks } from '../../../src/queue/tasks/add.ts';
import { claim } from '../../../src/queue/tasks/claim.ts';
import { editTask } from '../../../src/queue/tasks/edit.ts';
import { runSession, withQueue } from '../../support/queue.ts';
import { tries } from '../../support/tries.ts';

const SIZE = 200;

type Dag = { order: number[]; picks: number[][] };

/** For each task up to three earlier ones, in an order of ids that says nothing about the order of work. */
const dag: fc.Arbitrary<Dag> = fc.record({
  order: fc.shuffledSubarray(
    Array.from({ length: SIZE }, (_, index) => index + 1),
    { minLength: SIZE },
  ),
  picks: fc.array(fc.array(fc.nat(SIZE * 7), { maxLength: 3 }), { minLength: SIZE, maxLength: SIZE }),
});

function dependenciesOf({ order, picks }: Dag): Map<number, number[]> {
  return new Map(
    order.map((id, place) => {
      const earlier = place === 0 ? [] : (picks[place] ?? []).map((pick) => order[pick % place] ?? id);
      return [id, [...new Set(earlier)]];
    }),
  );
}

const load = (queue: Queue, dependencies: Map<number, number[]>) =>
  applyDefinitions(
    queue,
    {
      project: {},
      disciplines: [],
      features: [],
      learnings: [],
      tasks: [...dependencies].map(([id, depends_on]) => ({
        at: 'here',
        id,
        fields: { title: `task ${id}` },
        depends_on,
        state: {},
      })),
    },
    'import',
  );

it('claims take 200 tasks of a random graph in an order that respects every dependency', async () => {
  await fc.assert(
    fc.asyncProperty(dag, (drawn) =>
      withQueue(async (queue) => {
        const dependencies = dependenciesOf(drawn);
        await load(queue, dependencies);
        const finished = new Set<number>();
        for (let step = 0; step < SIZE; step++) {
          const { id } = await runSession(queue, [{ verb: 'done', summary: '' }]);
          expect((dependencies.get(id) ?? []).filter((dependency) => !finished.has(dependency))).toEqual([]);
          finished.add(id);
        }
        expect(finished.size).toBe(SIZE);
        const run_id = await startRun(queue, { pid: 1, process_started: null });
        expect(await claim(queue, { run_id, session_id: 'late' })).toBeNull();
      }),
    ),
    { numRuns: tries(2) },
  );
});

it('an edge is refused exactly if it closes a cycle, and the refusal names the cycle', async () => {
  await fc.assert(
    fc.asyncProperty(
      dag,
      fc.array(fc.tuple(fc.integer({ min: 1, max: SIZE }), fc.integer({ min: 1, max: SIZE })), {
        maxLength: 30,
      }),
      (drawn, edges) =>
        withQueue(async (queue) => {
          const dependencies = dependenciesOf(drawn);
          await load(queue, dependencies);
          for (const [from, to] of edges.filter(([one, other]) => one !== other)) {
            const current = dependencies.get(from) ?? [];
            const edit = editTask(queue, from, { depends_on: [...current, to] });
            if (!reaches(dependencies, to, from)) {
              await edit;
              dependencies.set(from, [...new Set([...current, to])]);
              continue;
            }
            const refusal = await edit.then(
              () => 'accepted',
              (error: Error) => error.message,
            );
            expect(refusal).toMatch(
              `Task ${from} cannot depend on task ${to}: that closes the cycle ${from} → ${to}`,
            );
            const path = (refusal.match(/\d+(?= →|; remove)/g) ?? []).map(Number);
            expect([path[0], path[1], path.at(-1)]).toEqual([from, to, from]);
            path
              .slice(1, -1)
              .forEach((node, index) => void expect(dependencies.get(node)).toContain(path[index + 2]));
          }
        }),
    ),
    { numRuns: tries(5) },
  );
});

function reaches(dependencies: Map<number, number[]>, start: number, goal: number): boolean {
  const seen = new Set<number>();
  for (const stack = [start]; stack.length > 0; ) {
    const node = stack.pop() ?? 0;
    if (node === goal) return true;
    if (seen.has(node)) continue;
    seen.add(node);
    stack.push(...(dependencies.get(node) ?? []));
  }
  return false;
}

it('a batch is added completely or not at all', async () => {
  await withQueue(async (queue) => {
    await expect(addTasks(queue, [{ title: 'good' }, { title: 'bad', depends_on: [99] }])).rejects.toThrow(
      /Task "bad" cannot depend on task 99/,
    );
    expect(await addTasks(queue, [{ title: 'first' }, { title: 'second', depends_on: [1] }])).toMatchObject([
      { id: 1 },
      { id: 2 },
    ]);
  });
});
