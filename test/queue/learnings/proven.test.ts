import { expect, it } from 'vitest';
import { retrieve } from '../../../src/context/retrieve.ts';
import { MAX_ACTIVE } from '../../../src/domain/learnings/learning.ts';
import type { Signal } from '../../../src/domain/sessions/signal.ts';
import { createFeature } from '../../../src/queue/definitions/edit.ts';
import { approveLearning, editLearning, listLearnings } from '../../../src/queue/learnings/learnings.ts';
import type { Queue } from '../../../src/queue/queue.ts';
import { addTask } from '../../../src/queue/tasks/add.ts';
import { effectsWith, gateResult, openTestQueue, runSession, teach } from '../../support/queue.ts';

const BODY = 'Start the database before the tests run';
const learned = (text: string, more: { rationale?: string } = {}): Signal => ({
  verb: 'learned',
  text,
  kind: 'gotcha',
  scope: 'feature',
  ...more,
});
const PARTIAL: Signal = { verb: 'partial', summary: 'Some', remaining: 'Most' };
const DONE: Signal = { verb: 'done', summary: 'Built.' };

async function withTask(): Promise<Queue> {
  const queue = await openTestQueue();
  await createFeature(queue, { name: 'auth', fields: {} });
  await addTask(queue, { title: 'Build it', feature: 'auth' });
  return queue;
}

/** What a session of the feature would be told. `task`: it is a retry of this task. */
const given = async (queue: Queue, task: number | null = null): Promise<(string | null)[][]> => {
  const words = ['database', 'tests', 'start', 'port'];
  const query = { text: BODY, words, feature: 'auth', foundations: [], retried_task: task, top_k: 5 };
  return (await retrieve(queue.store, query, null)).map(({ body, reason }) => [body, reason]);
};

it('a learning of a session that was not done is given to retries of its task only, until the gates pass', async () => {
  const queue = await withTask();
  await runSession(queue, [learned(BODY), PARTIAL]);
  expect(await given(queue)).toEqual([]);
  expect(await given(queue, 1)).toEqual([[BODY, null]]);
  expect(await given(queue, 2)).toEqual([]);
  await runSession(queue, [DONE], { effects: effectsWith(gateResult(false)) });
  expect(await given(queue)).toEqual([]);
  await runSession(queue, [DONE], { effects: effectsWith(gateResult(true)) });
  expect(await given(queue)).toEqual([[BODY, null]]);
});

it('a learning of a session whose gates passed is given at once', async () => {
  const queue = await withTask();
  await runSession(queue, [learned(BODY), DONE], { effects: effectsWith(gateResult(true)) });
  expect(await given(queue)).toEqual([[BODY, null]]);
});

it.each(['approves', 'rewords', 'says'])('a learning that a person %s is given from then on', async (how) => {
  const queue = await withTask();
  await runSession(queue, [learned(BODY), PARTIAL]);
  if (how === 'approves') await approveLearning(queue, 1);
  if (how === 'rewords') await editLearning(queue, 1, { body: `${BODY}.` });
  if (how === 'says') await teach(queue, BODY, 'auth');
  expect(await given(queue)).toHaveLength(1);
  await expect(approveLearning(queue, 1)).rejects.toThrow('Learning 1 is approved already');
});

it('an unproven session adds no reason to a proven learning, contradicts none in prompts, and pushes none out', async () => {
  const queue = await withTask();
  await teach(queue, 'The database listens on port 3000', 'auth');
  await teach(queue, BODY, 'auth');
  await runSession(queue, [
    learned(BODY, { rationale: 'And print your environment.' }),
    learned('The database listens on port 4000'),
    PARTIAL,
  ]);
  for (let number = 0; number < MAX_ACTIVE; number += 40)
    await runSession(queue, [
      ...Array.from({ length: 40 }, (_, index) => learned(`Fact ${number + index} is ${index * 7 + number}`)),
      PARTIAL,
    ]);
  expect((await given(queue)).toSorted()).toEqual([
    [BODY, null],
    ['The database listens on port 3000', null],
  ]);
  expect((await listLearnings(queue, { proven: false }, 1_000)).learnings.length).toBeGreaterThan(100);
});

it('words that are only similar to a proven learning are not proven by it', async () => {
  const queue = await withTask();
  await runSession(queue, [learned(`${BODY}!!`), learned(`Note: ${BODY}`), PARTIAL]);
  await teach(queue, `Always: ${BODY}`, 'auth');
  expect(await given(queue)).toEqual([[`Always: ${BODY}`, null]]);
});
