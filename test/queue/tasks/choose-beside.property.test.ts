import fc from 'fast-check';
import { expect, it } from 'vitest';
import { chooseTask, type ReadyTask, type TaskFiles } from '../../../src/queue/tasks/choose-beside.ts';
import { tries } from '../../support/tries.ts';

const task = (id: number, files: string[], more: Partial<ReadyTask> = {}): ReadyTask => ({
  id,
  files,
  guesses: [],
  passed_over: 0,
  conflicts: 0,
  ...more,
});
const guessing = (id: number, guesses: string[], more: Partial<ReadyTask> = {}): ReadyTask =>
  task(id, [], { guesses, ...more });
const running: TaskFiles[] = [{ files: ['a.ts'], guesses: ['b.ts'] }];

it('the first ready task that shares no file with a running one is picked', () => {
  expect(chooseTask([task(1, ['x', 'a.ts']), task(2, ['b.ts']), guessing(3, ['a.ts'])], running)).toBe(2);
  expect(chooseTask([task(1, ['b.ts']), guessing(2, ['a.ts']), task(3, ['c.ts'])], running)).toBe(3);
});

it('a task that changes a file of a running one waits, and its slot stays idle', () => {
  expect(chooseTask([task(1, ['a.ts']), task(2, ['c.ts', 'a.ts'], { passed_over: 9 })], running)).toBeNull();
});

it('if only guesses overlap, the first task is picked: a guess leaves no slot idle', () => {
  expect(chooseTask([guessing(1, ['a.ts']), guessing(2, ['b.ts'])], running)).toBe(1);
});

it('a task that was passed over five times is picked although a guess overlaps', () => {
  expect(chooseTask([guessing(1, ['a.ts'], { passed_over: 5 }), task(2, [])], running)).toBe(1);
  expect(chooseTask([guessing(1, ['a.ts'], { passed_over: 4 }), task(2, [])], running)).toBe(2);
});

it('no task begins that would keep one waiting that was passed over five times', () => {
  const due = task(1, ['a.ts', 'c.ts'], { passed_over: 5 });
  expect(chooseTask([due, task(2, ['c.ts']), task(3, ['d.ts'])], running)).toBe(3);
  expect(chooseTask([{ ...due, passed_over: 4 }, task(2, ['c.ts'])], running)).toBe(2);
});

it('a task that had two conflicts in a row waits until nothing that may overlap runs', () => {
  const prone = guessing(1, ['b.ts'], { passed_over: 9, conflicts: 2 });
  expect(chooseTask([prone, task(2, ['d.ts'])], running)).toBe(2);
  expect(chooseTask([prone], running)).toBeNull();
  expect(chooseTask([prone, task(2, [])], [{ files: ['d.ts'], guesses: [] }])).toBe(1);
});

const paths = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 3 });
const taskFiles = fc.record({ files: paths, guesses: paths });
const readyTasks = fc
  .array(fc.record({ files: paths, guesses: paths, passed_over: fc.nat(7), conflicts: fc.nat(4) }), {
    maxLength: 12,
  })
  .map((all) => all.map((one, id) => ({ id, ...one })));

it('something ready is always picked while nothing runs, and it is the first', () => {
  fc.assert(
    fc.property(readyTasks, (ready) => {
      expect(chooseTask(ready, [])).toBe(ready[0]?.id ?? null);
    }),
  );
});

it('the picked task changes no file that a running one changes', () => {
  fc.assert(
    fc.property(readyTasks, fc.array(taskFiles, { maxLength: 4 }), (ready, beside) => {
      const picked = ready.find(({ id }) => id === chooseTask(ready, beside));
      const taken = beside.flatMap((one) => one.files);
      expect(picked?.files.filter((file) => taken.includes(file)) ?? []).toEqual([]);
    }),
  );
});

it('no task starves, however many others arrive', () => {
  const few = fc.subarray(['a', 'b', 'c'], { minLength: 2 });
  const arriving = fc.shuffledSubarray([['a'], ['b'], ['c'], ['a', 'c']], { minLength: 3 });
  const steps = fc.array(arriving, { minLength: 20, maxLength: 20 });
  fc.assert(
    fc.property(few, steps, (own, arrivals) => {
      let beside: readonly ReadyTask[] = [task(-1, ['a']), task(-2, ['b'])];
      let passed_over = 0;
      for (const others of arrivals) {
        // The oldest session ends, and two may begin.
        beside = beside.slice(1);
        for (const _ of [1, 2]) {
          const ready = [task(0, own, { passed_over }), ...others.map((files, id) => task(id + 1, files))];
          const picked = ready.find(({ id }) => id === chooseTask(ready, beside));
          if (picked?.id === 0) return;
          if (picked === undefined) continue;
          passed_over += 1;
          beside = [...beside, picked];
        }
      }
      expect.fail('it was never picked');
    }),
    { numRuns: tries(300) },
  );
});

it('every queue is worked off, also if each task had conflicts', () => {
  fc.assert(
    fc.property(readyTasks, fc.integer({ min: 1, max: 4 }), (all, jobs) => {
      let ready = all;
      let beside: typeof all = [];
      for (let step = 0; ready.length > 0; step += 1) {
        expect(step).toBeLessThan(all.length * 2);
        const picked = beside.length < jobs ? chooseTask(ready, beside) : null;
        // With nothing to pick or no slot, the oldest session ends.
        if (picked === null) beside = beside.slice(1);
        else beside = [...beside, ...ready.filter(({ id }) => id === picked)];
        ready = ready.filter(({ id }) => id !== picked);
      }
    }),
  );
});
