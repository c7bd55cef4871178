import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { criticalPath } from '../../../src/domain/graph/picture.ts';
import { STATUSES, type Status } from '../../../src/domain/tasks/task.ts';
import { acyclic, anything } from '../../support/graphs.ts';

type Work = { id: number; depends_on: readonly number[]; status: Status; estimated_turns: number | null };

const task = (
  id: number,
  depends_on: number[],
  turns: number | null = null,
  status: Status = 'pending',
): Work => ({
  id,
  depends_on,
  status,
  estimated_turns: turns,
});

describe('the critical path', () => {
  it('the critical path is the longest in turns, not in tasks', () => {
    const tasks = [task(1, []), task(2, [1]), task(3, [2]), task(4, [], 20), task(5, [4, 3], 5)];
    expect(criticalPath(tasks)).toEqual({ tasks: [4, 5], turns: 25 });
  });

  it('a task without an estimate counts one turn', () => {
    expect(criticalPath([task(1, []), task(2, [1])])).toEqual({ tasks: [1, 2], turns: 2 });
  });

  it('the critical path passes over done and skipped tasks', () => {
    const tasks = [task(1, [], 50, 'done'), task(2, [1], 50, 'skipped'), task(3, [2], 2), task(4, [3])];
    expect(criticalPath(tasks)).toEqual({ tasks: [3, 4], turns: 3 });
  });

  it('of two equal paths the one with the lower ids is critical', () => {
    expect(criticalPath([task(4, [3]), task(3, []), task(2, []), task(1, [2])]).tasks).toEqual([2, 1]);
    expect(criticalPath([task(1, []), task(2, []), task(3, [2, 1])]).tasks).toEqual([1, 3]);
  });

  it('the critical path is empty if no task is open', () => {
    expect(criticalPath([task(1, [], 5, 'done')])).toEqual({ tasks: [], turns: 0 });
  });

  it('the critical path is as long as the longest of all chains, tried one by one', () => {
    fc.assert(
      fc.property(worked(acyclic(9)), (tasks) => {
        const { tasks: path, turns } = criticalPath(tasks);
        expect(turns).toBe(longestOf(tasks));
        expect(turns).toBe(path.reduce((sum, id) => sum + turnsOf(tasks.find((one) => one.id === id)), 0));
        path.slice(1).forEach((id, index) => {
          expect(tasks.find((one) => one.id === id)?.depends_on).toContain(path[index]);
        });
      }),
    );
  });

  it('the search terminates for any graph, even with cycles', () => {
    fc.assert(
      fc.property(worked(anything(20)), (tasks) => {
        const { tasks: path } = criticalPath(tasks);
        expect(new Set(path).size).toBe(path.length);
      }),
    );
  });
});

const worked = (graphs: ReturnType<typeof acyclic>): fc.Arbitrary<Work[]> =>
  graphs.chain((graph) =>
    fc.tuple(
      ...graph.map(({ id, depends_on }) =>
        fc
          .tuple(fc.constantFrom(...STATUSES), fc.option(fc.integer({ min: 1, max: 30 })))
          .map(([status, estimated_turns]): Work => ({ id, depends_on, status, estimated_turns })),
      ),
    ),
  );

const turnsOf = (one: Work | undefined): number => one?.estimated_turns ?? 1;

function longestOf(tasks: readonly Work[]): number {
  const open = tasks.filter(({ status }) => status !== 'done' && status !== 'skipped');
  const from = (one: Work): number =>
    turnsOf(one) + Math.max(0, ...open.filter(({ depends_on }) => depends_on.includes(one.id)).map(from));
  return Math.max(0, ...open.map(from));
}
