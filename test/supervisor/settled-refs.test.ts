import { expect, it } from 'vitest';
import { ownCandidateRef } from '../../src/host/landing/work-refs.ts';
import { addTask } from '../../src/queue/tasks/add.ts';
import { retry, skip } from '../../src/queue/tasks/decide.ts';
import { removeTasks } from '../../src/queue/tasks/remove.ts';
import { dropSettledRefs } from '../../src/supervisor/ground/settled-refs.ts';
import { openTestQueue, runSession } from '../support/queue.ts';
import { slotRepository } from '../support/slots.ts';

it('of a skipped task only the newest work stays, and that goes when the task is removed', async () => {
  const [queue, { place, git }] = [await openTestQueue(), await slotRepository()];
  await addTask(queue, { title: 'One' });
  const session_id = crypto.randomUUID();
  await runSession(queue, [{ verb: 'partial', summary: 's', remaining: 'r' }], { session_id });
  const newest = ['refs/ralph/shared/task-1', 'refs/ralph/task-1'];
  const others = [`work/${session_id}`, `candidate/${session_id}`, 'pull/task-1'].map(
    (name) => `refs/ralph/${name}`,
  );
  for (const ref of [...newest, ...others]) git('update-ref', ref, 'HEAD');
  const left = async (): Promise<string[]> => {
    await dropSettledRefs(place, queue);
    return git('for-each-ref', '--format=%(refname)', 'refs/ralph').split('\n').filter(Boolean);
  };
  expect(await left()).toHaveLength(5);
  await skip(queue, [1]);
  expect(await left()).toEqual(newest);
  await retry(queue, [1]);
  expect(await left()).toEqual(newest);
  await removeTasks(queue, { ids: [1], replacement: null }, { verify: false });
  expect(await left()).toEqual([]);
});

it('a candidate stays while the process that judges it lives', async () => {
  const [queue, { place, git }] = [await openTestQueue(), await slotRepository()];
  const living = ownCandidateRef('merge');
  const dead = living.replace(`-${process.pid}-`, '-99999999-');
  for (const ref of [living, dead, 'refs/ralph/candidate/merge-main']) git('update-ref', ref, 'HEAD');
  await dropSettledRefs(place, queue);
  expect(git('for-each-ref', '--format=%(refname)', 'refs/ralph')).toBe(living);
});
