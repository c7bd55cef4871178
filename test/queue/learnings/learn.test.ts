import { describe, expect, it } from 'vitest';
import { MAX_ACTIVE } from '../../../src/domain/learnings/learning.ts';
import type { Signal } from '../../../src/domain/sessions/signal.ts';
import { applyDefinitions, NO_DEFINITIONS } from '../../../src/queue/definitions/apply-definitions.ts';
import { createDiscipline, createFeature } from '../../../src/queue/definitions/edit.ts';
import {
  archiveLearning,
  editLearning,
  listLearnings,
  removeLearning,
  restoreLearning,
  showLearning,
} from '../../../src/queue/learnings/learnings.ts';
import type { Queue } from '../../../src/queue/queue.ts';
import { addTask } from '../../../src/queue/tasks/add.ts';
import { show } from '../../../src/queue/tasks/show.ts';
import { eventsAfter } from '../../../src/store/events.ts';
import { effectsWith, gateResult, openTestQueue, runSession, teach } from '../../support/queue.ts';

const active = async (queue: Queue) => (await listLearnings(queue, {}, 10_000)).learnings;
const kinds = async (queue: Queue): Promise<string[]> =>
  (await queue.store.read((db) => eventsAfter(db, 0)))
    .map(({ kind }) => kind)
    .filter((kind) => /learning/.test(kind));

describe('a learning', () => {
  it('a repeated learning confirms the first one, and the event keeps its words', async () => {
    const queue = await openTestQueue();
    expect(await teach(queue, 'Run the tests with NODE_ENV=test, or mails are sent.')).toMatchObject({
      as: 'new',
      id: 1,
    });
    expect(await teach(queue, 'run the tests with  NODE_ENV=test, or mails are sent')).toEqual({
      as: 'confirmation',
      id: 1,
    });
    expect(await teach(queue, 'Note: run the tests with NODE_ENV=test or mails are sent!')).toEqual({
      as: 'confirmation',
      id: 1,
    });
    expect(await active(queue)).toMatchObject([{ id: 1, confirmations: 2 }]);
    expect(await kinds(queue)).toEqual(['learning.added', 'learning.confirmed', 'learning.confirmed']);
    const [, , last] = await queue.store.read((db) => eventsAfter(db, 0));
    expect(last?.data).toMatchObject({ body: expect.stringContaining('Note: run the tests') });
  });

  it('a contradicting learning is kept beside the first one, and each names the other', async () => {
    const queue = await openTestQueue();
    await teach(queue, 'The dev server listens on port 3000');
    expect(await teach(queue, 'The dev server listens on port 4000')).toEqual({
      as: 'new',
      id: 2,
      conflicts_with: 1,
    });
    expect(await active(queue)).toMatchObject([
      { id: 2, conflicts_with: 1 },
      { id: 1, conflicts_with: null },
    ]);
    expect(await showLearning(queue, 1)).toMatchObject({ older: null, newer: { id: 2 } });
    await removeLearning(queue, 1);
    expect(await showLearning(queue, 2)).toMatchObject({ learning: { conflicts_with: null }, older: null });
  });

  it('a learning names the discipline, the task and the session that it comes from', async () => {
    const queue = await openTestQueue();
    await createDiscipline(queue, { name: 'backend', fields: {} });
    const { id: task_id } = await addTask(queue, { title: 'task', discipline: 'backend' });
    const learned: Signal = { verb: 'learned', text: 'Ids are UUIDs', kind: 'discovery', scope: 'project' };
    const { session_id } = await runSession(queue, [learned, { verb: 'done', summary: 'Built.' }]);
    expect(await active(queue)).toMatchObject([{ discipline: 'backend', task_id, session_id }]);
  });

  it('a learning of one feature is new to another', async () => {
    const queue = await openTestQueue();
    await createFeature(queue, { name: 'auth', fields: {} });
    await createFeature(queue, { name: 'billing', fields: {} });
    await teach(queue, 'Ids are UUIDs', 'auth');
    expect(await teach(queue, 'Ids are UUIDs', 'billing')).toMatchObject({ as: 'new' });
    await expect(teach(queue, 'Ids are UUIDs', 'biling')).rejects.toThrow('There is no feature "biling"');
  });

  it('invisible characters of a learning become visible', async () => {
    const queue = await openTestQueue();
    await teach(queue, 'Do\u200b it \u202eright');
    expect(await active(queue)).toMatchObject([{ body: 'Do<U+200B> it <U+202E>right' }]);
  });
});

describe('too many learnings of one feature', () => {
  it('excess learnings are archived with an event: the least confirmed, the least helpful, the oldest first', async () => {
    const queue = await openTestQueue();
    const word = (index: number): string =>
      [...String(index).padStart(3, '0')].map((digit) => 'abcdefghij'[Number(digit)]).join('');
    for (let index = 0; index < MAX_ACTIVE; index++) await teach(queue, `Fact about ${word(index)}`);
    await teach(queue, 'fact about aaa');
    expect(await teach(queue, 'A newcomer')).toMatchObject({ id: MAX_ACTIVE + 1 });
    const ids = (await active(queue)).map(({ id }) => id);
    expect(ids).toHaveLength(MAX_ACTIVE);
    expect(ids).toContain(1);
    expect(ids).not.toContain(2);
    expect(ids).toContain(MAX_ACTIVE + 1);
    expect((await listLearnings(queue, { archived: true }, 10)).learnings).toMatchObject([
      { id: 2, archived_by: 'bound' },
    ]);
    expect((await kinds(queue)).at(-1)).toBe('learning.archived');
    // A repeated learning was archived too early, so it comes back.
    expect(await teach(queue, 'Fact about aab')).toEqual({ as: 'confirmation', id: 2 });
    expect((await active(queue)).map(({ id }) => id)).toContain(2);
    expect(await active(queue)).toHaveLength(MAX_ACTIVE);
  });
});

describe('changes of a person', () => {
  it('a person edits, archives, restores and removes a learning, and the events keep the earlier state', async () => {
    const queue = await openTestQueue();
    await teach(queue, 'Times are local');
    await teach(queue, 'Money is in cents');
    expect(await editLearning(queue, 1, { body: 'Times are UTC', reason: 'the bank' })).toMatchObject({
      body: 'Times are UTC',
      reason: 'the bank',
      category: 'gotcha',
    });
    await expect(editLearning(queue, 1, { body: 'money is in cents.' })).rejects.toThrow(
      'Learning 2 already says this',
    );
    await archiveLearning(queue, 1);
    // An agent's repetition does not restore what a person archived.
    await teach(queue, 'Times are UTC');
    expect((await active(queue)).map(({ id }) => id)).toEqual([2]);
    await restoreLearning(queue, 1);
    await expect(restoreLearning(queue, 1)).rejects.toThrow('is not in the archive');
    await removeLearning(queue, 1);
    await expect(showLearning(queue, 1)).rejects.toThrow('There is no learning 1');
    const events = await queue.store.read((db) => eventsAfter(db, 0));
    expect(events.find(({ kind }) => kind === 'learning.edited')?.data).toMatchObject({
      before: { body: 'Times are local' },
    });
    expect(events.at(-1)).toMatchObject({
      kind: 'learning.removed',
      data: { before: { body: 'Times are UTC' } },
    });
  });
});

describe('learnings from a file', () => {
  const bring = (queue: Queue, learnings: readonly object[]) =>
    applyDefinitions(
      queue,
      {
        ...NO_DEFINITIONS,
        learnings: learnings.map((one) => ({
          at: 'learnings.yaml:1',
          feature: null,
          scope: 'project' as const,
          category: 'gotcha' as const,
          body: 'Times are UTC',
          summary: null,
          reason: null,
          discipline: null,
          ...one,
        })),
      },
      'import',
    );

  it('learnings from a file follow the same rules: no secret, one fact, a short summary', async () => {
    const queue = await openTestQueue();
    for (const wrong of [
      { body: `Use ghp_${'a1B2c3'.repeat(6)}` },
      { body: 'x'.repeat(2_001) },
      { summary: 'x'.repeat(401) },
    ])
      await expect(bring(queue, [wrong])).rejects.toThrow(/^learnings.yaml:1: The (learning|summary) /);
    expect(await active(queue)).toEqual([]);
  });

  it('learnings from a file do not exceed the limit of a feature', async () => {
    const queue = await openTestQueue();
    await bring(
      queue,
      Array.from({ length: MAX_ACTIVE + 5 }, (_, index) => ({ body: `Fact ${index}` })),
    );
    expect(await active(queue)).toHaveLength(MAX_ACTIVE);
  });
});

it('learnings about names that differ only in case are two, and a later reason is added', async () => {
  const queue = await openTestQueue();
  await teach(queue, 'The key is userId');
  expect(await teach(queue, 'The key is userid')).toMatchObject({ as: 'new' });
  expect(await teach(queue, 'the key is userId!')).toEqual({ as: 'confirmation', id: 1 });
  await teach(queue, 'The key is userId', null, { reason: 'the client is older' });
  expect(await showLearning(queue, 1)).toMatchObject({ learning: { reason: 'the client is older' } });
});

it('an edited learning contradicts nothing that it now agrees with', async () => {
  const queue = await openTestQueue();
  for (const port of [3000, 4000, 5000]) await teach(queue, `The dev server listens on port ${port}`);
  await editLearning(queue, 2, { body: 'Times are UTC' });
  expect(await active(queue)).toMatchObject([
    { conflicts_with: null },
    { conflicts_with: null },
    { conflicts_with: null },
  ]);
});

describe('whether a learning helped', () => {
  const done: Signal = { verb: 'done', summary: 'Built.' };

  async function sessionGiven(queue: Queue, ids: number[], passes: boolean): Promise<number> {
    const { id } = await runSession(queue, [done], {
      given: ids,
      effects: effectsWith(gateResult(passes)),
    });
    return id;
  }

  it('a learning counts as helpful if its session passed at the first attempt', async () => {
    const queue = await openTestQueue();
    await teach(queue, 'Times are UTC');
    await teach(queue, 'Money is in cents');
    await addTask(queue, { title: 'first' });
    await addTask(queue, { title: 'second' });
    expect(await sessionGiven(queue, [1, 2], true)).toBe(1);
    expect((await show(queue, 1)).receipt).toMatchObject({ learnings: [1, 2] });
    // The second task fails its gates once and passes then: that is no first attempt.
    await sessionGiven(queue, [1], false);
    await sessionGiven(queue, [1], true);
    expect(await active(queue)).toMatchObject([
      { id: 2, given: 1, passed: 1 },
      { id: 1, given: 3, passed: 1 },
    ]);
  });

  it('an interrupted session and a removed learning count for nothing', async () => {
    const queue = await openTestQueue();
    await teach(queue, 'Times are UTC');
    await addTask(queue, { title: 'task' });
    await runSession(queue, [], {
      given: [1, 99],
      end: { kind: 'infrastructure', fault: 'overloaded', resume_at: null },
    });
    expect(await active(queue)).toMatchObject([{ id: 1, given: 0, passed: 0 }]);
  });
});
