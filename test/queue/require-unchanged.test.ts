// Two people change the same field: the second is refused, and the first loses nothing.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Refusal } from '../../src/domain/refusal.ts';
import { PRIORITIES } from '../../src/domain/tasks/task.ts';
import { editLearning, showLearning } from '../../src/queue/learnings/learnings.ts';
import { changesSince, lastChangeId } from '../../src/queue/queue.ts';
import { addTask, addTasks } from '../../src/queue/tasks/add.ts';
import { answer } from '../../src/queue/tasks/answer.ts';
import { editTask, type TaskEdit } from '../../src/queue/tasks/edit.ts';
import { show } from '../../src/queue/tasks/show.ts';
import { openTestQueue, runSession, teach, withQueue } from '../support/queue.ts';
import { tries } from '../support/tries.ts';

const words = fc.constantFrom('A', 'B', ' B ');
const edit: fc.Arbitrary<TaskEdit> = fc.record(
  {
    title: words,
    description: fc.option(words),
    priority: fc.constantFrom(...PRIORITIES),
    estimated_turns: fc.option(fc.constantFrom(5, 9)),
    acceptance_criteria: fc.uniqueArray(words, { maxLength: 2 }),
    depends_on: fc.uniqueArray(fc.constantFrom(1, 2), { maxLength: 2 }),
  },
  { requiredKeys: [] },
);

const FIELDS = [
  'title',
  'description',
  'priority',
  'estimated_turns',
  'acceptance_criteria',
  'depends_on',
] as const;

/** Chance alone need not meet both. */
const REFUSED: [TaskEdit, TaskEdit, TaskEdit] = [{}, { title: 'A' }, { title: 'B' }];
const MADE: [TaskEdit, TaskEdit, TaskEdit] = [{}, { title: 'A' }, { priority: 'high' }];

it('the second of two concurrent edits is refused, or touches nothing that the first changed', async () => {
  const outcomes = { refused: 0, made: 0 };
  await fc.assert(
    fc.asyncProperty(edit, edit, edit, (given, first, second) =>
      withQueue(async (queue) => {
        await addTasks(queue, [{ title: 'One' }, { title: 'Two' }, { title: 'Three' }]);
        const before = await editTask(queue, 3, given);
        const seen = (of: TaskEdit): TaskEdit =>
          Object.fromEntries(Object.keys(of).map((name) => [name, before[name as keyof TaskEdit]]));
        const between = await editTask(queue, 3, first, seen(first));
        const isMade = await editTask(queue, 3, second, seen(second)).then(
          () => true,
          (error: unknown) => {
            expect(error).toBeInstanceOf(Refusal);
            return false;
          },
        );
        const after = await show(queue, 3);
        outcomes[isMade ? 'made' : 'refused']++;
        for (const field of FIELDS) {
          const isFirsts = JSON.stringify(between[field]) !== JSON.stringify(before[field]);
          if (isFirsts || !isMade) expect(after[field]).toEqual(between[field]);
        }
      }),
    ),
    { numRuns: tries(60), examples: [REFUSED, MADE] },
  );
  expect(Math.min(outcomes.refused, outcomes.made)).toBeGreaterThan(0);
});

it('a refused edit names the field and its shortened current value, and changes nothing', async () => {
  const queue = await openTestQueue();
  const task = await addTask(queue, { title: 'Retry webhooks' });
  await editTask(queue, task.id, { title: 'Retry all webhooks', description: 'x'.repeat(5_000), hints: 'a' });
  const seen = await lastChangeId(queue);
  await expect(
    editTask(
      queue,
      task.id,
      { priority: 'high', title: 'Webhooks' },
      { priority: 'medium', title: task.title },
    ),
  ).rejects.toThrow(
    'The title of task 1 has changed since you read it; it is now "Retry all webhooks". Check it, then repeat your change.',
  );
  await expect(editTask(queue, 1, { description: 'short' }, { description: null })).rejects.toThrow(
    /^The description of task 1 has changed since you read it; it is now "x{200} …"\./,
  );
  await expect(editTask(queue, 1, { feature: null, hints: null }, { hints: 'a' })).resolves.toMatchObject({
    hints: null,
  });
  await expect(editTask(queue, 1, { hints: 'c' }, { hints: 'a' })).rejects.toThrow(/it is now empty\./);
  expect((await changesSince(queue, seen)).map(({ kind, data }) => [kind, data])).toEqual([
    ['task.edited', { changed: ['hints'] }],
  ]);
});

it('the order of dependencies does not make an edit stale', async () => {
  const queue = await openTestQueue();
  await addTasks(queue, [{ title: 'One' }, { title: 'Two' }, { title: 'Three', depends_on: [1, 2] }]);
  const edited = await editTask(queue, 3, { depends_on: [1] }, { depends_on: [2, 1] });
  expect(edited.depends_on).toEqual([1]);
});

it('a stale edit of a learning is refused', async () => {
  const queue = await openTestQueue();
  await teach(queue, 'Port 3000 is taken');
  await editLearning(queue, 1, { body: 'Port 4000 is taken' }, { body: 'Port 3000 is taken' });
  await expect(
    editLearning(queue, 1, { body: 'Port 5000 is taken' }, { body: 'Port 3000 is taken' }),
  ).rejects.toThrow('The body of learning 1 has changed since you read it; it is now "Port 4000 is taken".');
  await editLearning(queue, 1, { category: 'decision' }, { category: 'gotcha' });
  expect(await showLearning(queue, 1)).toMatchObject({
    learning: { body: 'Port 4000 is taken', category: 'decision' },
  });
});

it('an answer to a question that was answered meanwhile is refused with that answer', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'One' });
  await runSession(queue, [
    { verb: 'ask', question: 'Which zone?', blocking: true },
    { verb: 'partial', summary: 'half', remaining: 'the rest' },
  ]);
  await answer(queue, 1, 'UTC', { seen: null });
  await expect(answer(queue, 1, 'CET', { seen: null })).rejects.toThrow(
    'The answer to question 1 has changed since you read it; it is now "UTC".',
  );
  expect((await show(queue, 1)).questions).toMatchObject([{ answer: 'UTC' }]);
  expect(await answer(queue, 1, 'CET', { seen: 'UTC' })).toMatchObject({ replaced: 'UTC' });
  expect(await answer(queue, 1, 'EET', { replace: true })).toMatchObject({ replaced: 'CET' });
});
