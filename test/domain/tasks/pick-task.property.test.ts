import fc from 'fast-check';
import { expect, it } from 'vitest';
import { pickTask } from '../../../src/domain/tasks/pick-task.ts';

const task = (id: number, files: string[], more: { passed_over?: number; conflicts?: number } = {}) => ({
  id,
  files,
  passed_over: 0,
  conflicts: 0,
  ...more,
});
const running = [{ files: ['a.ts', 'b.ts'] }];

it('the first ready task that shares no file with a running one is picked', () => {
  expect(pickTask([task(1, ['x', 'a.ts']), task(2, ['b.ts']), task(3, ['c.ts']), task(4, [])], running)).toBe(
    3,
  );
});

it('a task that was passed over five times is picked although it overlaps', () => {
  expect(pickTask([task(1, ['a.ts'], { passed_over: 5 }), task(2, [])], running)).toBe(1);
  expect(pickTask([task(1, ['a.ts'], { passed_over: 4 }), task(2, [])], running)).toBe(2);
});

it('a task that had two conflicts in a row waits until nothing that overlaps runs', () => {
  const prone = task(1, ['a.ts'], { passed_over: 9, conflicts: 2 });
  expect(pickTask([prone, task(2, ['b.ts'])], running)).toBe(2);
  expect(pickTask([prone], running)).toBeNull();
  expect(pickTask([prone, task(2, [])], [{ files: ['b.ts'] }])).toBe(1);
});

it('if every ready task overlaps, the first one is picked: a guess leaves no slot idle', () => {
  expect(pickTask([task(1, ['a.ts']), task(2, ['b.ts'])], running)).toBe(1);
});

const files = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 3 });
const readyTasks = (conflicts: fc.Arbitrary<number>) =>
  fc
    .array(fc.record({ files, passed_over: fc.nat(7), conflicts }), { maxLength: 12 })
    .map((all) => all.map((one, id) => ({ id, ...one })));
const runningTasks = fc.array(fc.record({ files }), { maxLength: 4 });

it('something ready is always picked while nothing runs, and it is the first', () => {
  fc.assert(
    fc.property(readyTasks(fc.nat(4)), (ready) => {
      expect(pickTask(ready, [])).toBe(ready[0]?.id ?? null);
    }),
  );
});

it('a task without many conflicts is always picked from, whatever runs', () => {
  fc.assert(
    fc.property(readyTasks(fc.nat(1)), runningTasks, (ready, beside) => {
      expect(pickTask(ready, beside) === null).toBe(ready.length === 0);
    }),
  );
});

it('a task with many conflicts is picked only if it overlaps with nothing that runs', () => {
  fc.assert(
    fc.property(readyTasks(fc.nat(4)), runningTasks, (ready, beside) => {
      const picked = ready.find(({ id }) => id === pickTask(ready, beside));
      if (picked === undefined || picked.conflicts < 2) return;
      const taken = beside.flatMap((one) => one.files);
      expect(picked.files.filter((file) => taken.includes(file))).toEqual([]);
    }),
  );
});

it('no task starves: others are picked before it at most five times, however many arrive', () => {
  const arrivals = fc.array(fc.record({ files, beside: runningTasks }), { minLength: 6, maxLength: 6 });
  fc.assert(
    fc.property(files, arrivals, (own, steps) => {
      const picks = steps.map((step, passed_over) =>
        pickTask([task(0, own, { passed_over }), task(1, step.files)], [...step.beside, { files: own }]),
      );
      expect(picks).toContain(0);
    }),
  );
});

it('every queue is worked off, also if each task had conflicts', () => {
  fc.assert(
    fc.property(readyTasks(fc.nat(4)), fc.integer({ min: 1, max: 4 }), (all, jobs) => {
      let ready = all;
      let beside: typeof all = [];
      for (let step = 0; ready.length > 0; step += 1) {
        expect(step).toBeLessThan(all.length * 2);
        const picked = beside.length < jobs ? pickTask(ready, beside) : null;
        // With nothing to pick or no slot, the oldest session ends.
        if (picked === null) beside = beside.slice(1);
        else beside = [...beside, ...ready.filter(({ id }) => id === picked)];
        ready = ready.filter(({ id }) => id !== picked);
      }
    }),
  );
});
