import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inferDependencies, type PlannedTask } from '../../../src/domain/planning/infer-dependencies.ts';
import { findCycle } from '../../../src/domain/tasks/dag.ts';
import { TASK_DEFAULTS } from '../../../src/domain/tasks/task.ts';

const task = (id: number, fields: Partial<PlannedTask> = {}): PlannedTask => ({
  ...TASK_DEFAULTS,
  title: `Task ${id}`,
  depends_on: [],
  ...fields,
  id,
});

const infer = (...tasks: PlannedTask[]): string[] =>
  inferDependencies(tasks, new Set(tasks.map(({ id }) => id))).map(
    ({ task_id, depends_on, file, isShared }) =>
      `${task_id} after ${depends_on}: ${isShared ? 'both write' : 'reads'} ${file}`,
  );

it('a task waits for the one that writes a file which it names in a field or in its text', () => {
  const writer = task(9, { output_artifacts: ['./src/queue.ts'] });
  expect(infer(writer, task(1, { context_files: ['src/queue.ts'] }))).toEqual([
    '1 after 9: reads src/queue.ts',
  ]);
  expect(infer(writer, task(1, { description: 'Call push() of src/queue.ts.' }))).toEqual([
    '1 after 9: reads src/queue.ts',
  ]);
  expect(infer(writer, task(1, { description: 'Call lib/src/queue.ts or queue.ts' }))).toEqual([]);
});

it('of two tasks that write the same file, the later one waits', () => {
  const both = [1, 2].map((id) => task(id, { output_artifacts: ['a.ts'], context_files: ['a.ts'] }));
  expect(infer(...both)).toEqual(['2 after 1: both write a.ts']);
  const many = Array.from({ length: 6 }, (_, index) => task(index + 1, { output_artifacts: ['index.ts'] }));
  expect(infer(...many)).toEqual([]);
});

it('tasks that are linked already, and a whole with its part, get no further link', () => {
  const writer = task(1, { output_artifacts: ['a.ts'] });
  const reader = { context_files: ['a.ts'] };
  expect(infer(writer, task(2, { depends_on: [1] }), task(3, { ...reader, depends_on: [2] }))).toEqual([]);
  expect(infer({ ...writer, depends_on: [3] }, task(3, reader))).toEqual([]);
  expect(infer(writer, task(2, { ...reader, parent: 1 }))).toEqual([]);
});

it('all proposals together close no cycle, whatever the tasks name', () => {
  const files = fc.subarray(['a', 'b', 'c', 'd']);
  const tasks = fc.array(
    fc.record({ output_artifacts: files, context_files: files, links: fc.array(fc.nat(7)) }),
    {
      maxLength: 8,
    },
  );
  fc.assert(
    fc.property(tasks, (made) => {
      const all = made.map(({ links, ...fields }, id) =>
        task(id, { ...fields, depends_on: [...new Set(links)].filter((one) => one < id) }),
      );
      const found = inferDependencies(all, new Set(all.map(({ id }) => id)));
      const edges = new Map(all.map(({ id, depends_on }) => [id, [...depends_on]]));
      for (const { task_id, depends_on } of found) edges.get(task_id)?.push(depends_on);
      expect(findCycle(edges)).toBeNull();
    }),
  );
});
