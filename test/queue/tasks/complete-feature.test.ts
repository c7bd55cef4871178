import { describe, expect, it } from 'vitest';
import { createFeature } from '../../../src/queue/definitions/edit.ts';
import type { Queue } from '../../../src/queue/queue.ts';
import { addTask } from '../../../src/queue/tasks/add.ts';
import { reopen } from '../../../src/queue/tasks/change-status.ts';
import { approve, retry, skip } from '../../../src/queue/tasks/decide.ts';
import { featureDetails } from '../../../src/queue/tasks/features.ts';
import { list } from '../../../src/queue/tasks/list.ts';
import { effectsWith, openTestQueue, runSession } from '../../support/queue.ts';

const effects = { ...effectsWith(), verifiesFeatures: async () => true };

async function withFeature(...titles: string[]): Promise<Queue> {
  const queue = await openTestQueue();
  const acceptance_criteria = ['A stranger cannot sign in'];
  await createFeature(queue, {
    name: 'auth',
    fields: { display_name: 'Sign in', spec_file: 'specs/auth.md', acceptance_criteria },
  });
  for (const title of titles) await addTask(queue, { title, feature: 'auth' });
  return queue;
}

const doNext = (queue: Queue) => runSession(queue, [{ verb: 'done', summary: 'Done.' }], { effects });
const statusOf = async (queue: Queue) => (await featureDetails(queue, 'auth')).feature.status;
const verifications = async (queue: Queue) =>
  (await list(queue, {})).filter(({ provenance }) => provenance === 'system');

describe('a feature that is verified', () => {
  it('a verified feature gets one verification task with its criteria after its last task, and is done after that', async () => {
    const queue = await withFeature('One', 'Two');
    await doNext(queue);
    expect(await verifications(queue)).toEqual([]);
    await doNext(queue);
    expect(await verifications(queue)).toMatchObject([
      {
        id: 3,
        title: 'Verify the feature Sign in',
        description: expect.stringContaining('Its specification is specs/auth.md.'),
        status: 'pending',
        feature: 'auth',
        acceptance_criteria: ['A stranger cannot sign in'],
        depends_on: [1, 2],
        open_blockers: 0,
      },
    ]);
    expect(await statusOf(queue)).toBe('active');
    expect(await doNext(queue)).toMatchObject({ id: 3 });
    expect(await statusOf(queue)).toBe('done');
    expect(await list(queue, {})).toHaveLength(3);
  });

  it('a feature is verified again only after new work', async () => {
    const queue = await withFeature('One');
    await doNext(queue);
    await doNext(queue);
    await addTask(queue, { title: 'Never mind', feature: 'auth' });
    await skip(queue, [3], { verify: true });
    expect(await statusOf(queue)).toBe('done');
    await addTask(queue, { title: 'Later', feature: 'auth' });
    expect(await statusOf(queue)).toBe('active');
    await doNext(queue);
    expect(await verifications(queue)).toMatchObject([{ id: 2 }, { id: 5, depends_on: [4] }]);
    await reopen(queue, 1, 'Say why.');
    await skip(queue, [5], { verify: true });
    expect(await doNext(queue)).toMatchObject({ id: 1 });
    expect(await verifications(queue)).toMatchObject([{ id: 2 }, { id: 5 }, { id: 6, depends_on: [1] }]);
  });

  it('a feature is verified when its last open task is skipped, but not if none of its tasks was done', async () => {
    const queue = await withFeature('One', 'Two');
    await doNext(queue);
    await skip(queue, [2], { verify: true });
    expect(await verifications(queue)).toMatchObject([{ id: 3, depends_on: [1] }]);
    const untouched = await withFeature('One');
    await skip(untouched, [1], { verify: true });
    expect(await verifications(untouched)).toEqual([]);
    expect(await statusOf(untouched)).toBe('done');
  });

  it('a feature is done if a person skips its verification, and work done meanwhile adds no second one', async () => {
    const queue = await withFeature('One');
    await doNext(queue);
    await addTask(queue, { title: 'Urgent', feature: 'auth', priority: 'critical' });
    expect(await doNext(queue)).toMatchObject({ id: 3 });
    await skip(queue, [2], { verify: true });
    expect(await verifications(queue)).toHaveLength(1);
    expect(await statusOf(queue)).toBe('done');
  });

  it('a feature stays open while its verification waits or has failed, and drafts do not block it', async () => {
    const queue = await withFeature('One');
    await addTask(queue, { title: 'An idea', feature: 'auth', draft: true });
    await doNext(queue);
    for (let time = 0; time < 3; time++)
      await runSession(queue, [{ verb: 'stuck', reason: 'It does not hold.' }], { effects });
    expect(await verifications(queue)).toMatchObject([{ status: 'failed' }]);
    expect(await statusOf(queue)).toBe('active');
    await retry(queue, [3]);
    await doNext(queue);
    expect(await statusOf(queue)).toBe('done');
    await approve(queue, [2]);
    expect(await statusOf(queue)).toBe('active');
  });
});
