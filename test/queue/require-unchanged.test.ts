// Two people change the same thing: the second gets a sentence, and the first loses nothing.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Refusal } from '../../src/domain/refusal.ts';
import { PRIORITIES } from '../../src/domain/tasks/task.ts';
import { changesSince, lastChange } from '../../src/queue/changes.ts';
import { editLearning, showLearning } from '../../src/queue/learnings/learnings.ts';
import { addTask, addTasks } from '../../src/queue/tasks/add.ts';
import { answer } from '../../src/queue/tasks/answer.ts';
import { editTask, type TaskEdit } from '../../src/queue/tasks/edit.ts';
import { show } from '../../src/queue/tasks/show.ts';
import { openTestQueue, runSession, teach, withQueue } from '../support/queue.ts';

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

it('of two edits of what both saw, the second is refused or touches nothing that the first has changed', async () => {
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
    { numRuns: 60 },
  );
  expect(Math.min(outcomes.refused, outcomes.made)).toBeGreaterThan(0);
});

it('names the field and what it says now, cut where it is long, and changes nothing', async () => {
  const queue = await openTestQueue();
  const task = await addTask(queue, { title: 'Retry webhooks' });
  await editTask(queue, task.id, { title: 'Retry all webhooks', description: 'x'.repeat(5_000), hints: 'a' });
  const seen = await lastChange(queue);
  await expect(
    editTask(
      queue,
      task.id,
      { priority: 'high', title: 'Webhooks' },
      { priority: 'medium', title: task.title },
    ),
  ).rejects.toThrow(
    'The title of task 1 was changed meanwhile; it says now: "Retry all webhooks". Look at it, then change it again.',
  );
  await expect(editTask(queue, 1, { description: 'short' }, { description: null })).rejects.toThrow(
    /^The description of task 1 was changed meanwhile; it says now: "x{200} …"\./,
  );
  await expect(editTask(queue, 1, { feature: null, hints: null }, { hints: 'a' })).resolves.toMatchObject({
    hints: null,
  });
  await expect(editTask(queue, 1, { hints: 'c' }, { hints: 'a' })).rejects.toThrow(/it says now: nothing\./);
  expect((await changesSince(queue, seen)).map(({ kind, data }) => [kind, data])).toEqual([
    ['task.edited', { changed: ['hints'] }],
  ]);
});

it('takes what a task waits for in any order', async () => {
  const queue = await openTestQueue();
  await addTasks(queue, [{ title: 'One' }, { title: 'Two' }, { title: 'Three', depends_on: [1, 2] }]);
  const edited = await editTask(queue, 3, { depends_on: [1] }, { depends_on: [2, 1] });
  expect(edited.depends_on).toEqual([1]);
});

it('holds for what was learned', async () => {
  const queue = await openTestQueue();
  await teach(queue, 'Port 3000 is taken');
  await editLearning(queue, 1, { body: 'Port 4000 is taken' }, { body: 'Port 3000 is taken' });
  await expect(
    editLearning(queue, 1, { body: 'Port 5000 is taken' }, { body: 'Port 3000 is taken' }),
  ).rejects.toThrow('The body of learning 1 was changed meanwhile; it says now: "Port 4000 is taken".');
  await editLearning(queue, 1, { category: 'decision' }, { category: 'gotcha' });
  expect(await showLearning(queue, 1)).toMatchObject({
    learning: { body: 'Port 4000 is taken', category: 'decision' },
  });
});

it('holds for an answer: who thought the question was open is shown the answer', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'One' });
  await runSession(queue, [
    { verb: 'ask', question: 'Which zone?', blocking: true },
    { verb: 'partial', summary: 'half', remaining: 'the rest' },
  ]);
  await answer(queue, 1, 'UTC', { seen: null });
  await expect(answer(queue, 1, 'CET', { seen: null })).rejects.toThrow(
    'The answer to question 1 was changed meanwhile; it says now: "UTC".',
  );
  expect((await show(queue, 1)).questions).toMatchObject([{ answer: 'UTC' }]);
  expect(await answer(queue, 1, 'CET', { seen: 'UTC' })).toMatchObject({ replaced: 'UTC' });
  expect(await answer(queue, 1, 'EET', { replace: true })).toMatchObject({ replaced: 'CET' });
});
