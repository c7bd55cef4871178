import { describe, expect, it } from 'vitest';
import { maskSecrets } from '../../../src/domain/secrets/mask-secrets.ts';
import { maskNotice } from '../../../src/queue/mask-input.ts';
import { changesSince, closeQueue, openQueue } from '../../../src/queue/queue.ts';
import { addTask } from '../../../src/queue/tasks/add.ts';
import { answer } from '../../../src/queue/tasks/answer.ts';
import { show } from '../../../src/queue/tasks/show.ts';
import { SHAPED } from '../../support/planted-secrets.ts';
import { openTestQueue, runSession } from '../../support/queue.ts';

async function asked() {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'Store times' });
  await runSession(queue, [
    { verb: 'ask', question: 'Which zone?', blocking: true },
    { verb: 'partial', summary: 'half', remaining: 'the rest' },
  ]);
  return queue;
}

describe('an answer', () => {
  it('the first of forty simultaneous answers wins, and each other person sees the one that stands', async () => {
    const queue = await asked();
    // Connections of their own: in one, the calls would only wait for each other.
    const people = await Promise.all(Array.from({ length: 40 }, () => openQueue(queue.store.path)));
    const results = await Promise.allSettled(people.map((one, index) => answer(one, 1, `zone ${index}`)));
    await Promise.all(people.map(closeQueue));
    const { questions } = await show(queue, 1);
    const standing = questions[0]?.answer;
    const won = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value.question.answer] : []));
    expect(won).toEqual([standing]);
    const told = results.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
    expect(told).toHaveLength(39);
    expect(new Set(told)).toEqual(
      new Set([
        `Refusal: Question 1 already has the answer "${standing}". To replace it, use --replace (or replace: true).`,
      ]),
    );
    const events = (await changesSince(queue, 0)).filter(({ kind }) => kind === 'question.answered');
    expect(events).toHaveLength(1);
  });

  it('an answer replaces an earlier one if the person asks for it', async () => {
    const queue = await asked();
    await answer(queue, 1, 'UTC');
    expect(await answer(queue, 1, 'CET', { replace: true })).toMatchObject({ replaced: 'UTC' });
    expect((await show(queue, 1)).questions).toMatchObject([{ answer: 'CET' }]);
  });

  it('an answer equal to the earlier one is no conflict', async () => {
    const queue = await asked();
    await answer(queue, 1, 'UTC');
    expect(await answer(queue, 1, 'UTC')).toMatchObject({ question: { answer: 'UTC' } });
  });

  it('an answer is masked before it is stored, and the person is told', async () => {
    const queue = await asked();
    const text = `Use ${SHAPED['stripe']}`;
    expect((await answer(queue, 1, text)).question.answer).toBe('Use <masked>');
    expect(maskNotice(queue, text)).toBe(
      ' Ralph masked what looked like a secret; agents find secrets in files or in the environment.',
    );
    expect(maskNotice({ mask: maskSecrets({}) }, { title: 'Use UTC' })).toBe('');
  });
});
