// The status of a feature counts: Ralph starts no task of one that is planned or deprecated.
import { expect, it } from 'vitest';
import type { FeatureStatus } from '../../../src/domain/tasks/feature.ts';
import { applyDefinitions, NO_DEFINITIONS } from '../../../src/queue/definitions/apply-definitions.ts';
import type { Queue } from '../../../src/queue/queue.ts';
import { addTasks } from '../../../src/queue/tasks/add.ts';
import { skip } from '../../../src/queue/tasks/decide.ts';
import { editTask } from '../../../src/queue/tasks/edit.ts';
import { allFeatures } from '../../../src/queue/tasks/features.ts';
import { list } from '../../../src/queue/tasks/list.ts';
import { findNeeds } from '../../../src/queue/tasks/needs.ts';
import { peek, status } from '../../../src/queue/tasks/status.ts';
import { waitingOn } from '../../../src/queue/tasks/waiting-on.ts';
import { why } from '../../../src/queue/tasks/why.ts';
import { findMiscounted } from '../../../src/store/tasks/blockers.ts';
import { openTestQueue, runSession } from '../../support/queue.ts';

/** As `.ralph/features.yaml` gives them. */
const features = (queue: Queue, statuses: Record<string, FeatureStatus>) =>
  applyDefinitions(
    queue,
    {
      ...NO_DEFINITIONS,
      features: Object.entries(statuses).map(([name, given]) => ({
        at: 'features.yaml:1',
        name,
        fields: { status: given },
      })),
    },
    'sync',
  );

const ready = async (queue: Queue): Promise<number[]> =>
  (await list(queue, { ready: { isReady: true, at: queue.now() } })).map(({ id }) => id);

const nobody = () => false;

it('a task of a planned or deprecated feature is not claimed until its feature is active', async () => {
  const queue = await openTestQueue();
  await features(queue, { later: 'planned', old: 'deprecated', now: 'active' });
  await addTasks(queue, [
    { title: 'Later', feature: 'later', priority: 'critical' },
    { title: 'Old', feature: 'old', priority: 'high' },
    { title: 'Behind', feature: 'now', depends_on: [1] },
  ]);
  expect(await peek(queue)).toBeNull();
  expect((await why(queue, 1, nobody)).reasons).toEqual([
    { kind: 'feature', feature: 'later', status: 'planned' },
  ]);
  expect((await waitingOn(queue, await list(queue, {}), nobody)).get(2)).toMatchObject({
    feature_status: 'deprecated',
  });
  expect(await status(queue)).toMatchObject({ ready: 0, counts: { pending: 3 } });
  expect((await findNeeds(queue, 10)).on_hold).toEqual([
    { feature: 'later', status: 'planned' },
    { feature: 'old', status: 'deprecated' },
  ]);
  await features(queue, { later: 'active', old: 'deprecated', now: 'planned' });
  expect(await ready(queue)).toEqual([1]);
  await skip(queue, [1]);
  expect(await ready(queue)).toEqual([]);
  expect(await queue.store.read(findMiscounted)).toEqual([]);
  await features(queue, { later: 'active', old: 'active', now: 'active' });
  expect(await ready(queue)).toEqual([2, 3]);
});

it('a task that moves to another feature waits by the status of that one', async () => {
  const queue = await openTestQueue();
  await features(queue, { later: 'planned', now: 'active' });
  await addTasks(queue, [{ title: 'First' }, { title: 'Moves', feature: 'now', depends_on: [1] }]);
  await editTask(queue, 2, { feature: 'later', depends_on: [] });
  expect(await ready(queue)).toEqual([1]);
  await editTask(queue, 2, { depends_on: [1] });
  expect(await queue.store.read(findMiscounted)).toEqual([]);
  await editTask(queue, 2, { feature: null, depends_on: [] });
  expect(await ready(queue)).toEqual([1, 2]);
});

it('a task that was blocked while its feature was planned goes on when the feature is active', async () => {
  const queue = await openTestQueue();
  await features(queue, { now: 'active' });
  await addTasks(queue, [
    { title: 'Works', feature: 'now', priority: 'high' },
    { title: 'First', priority: 'low' },
  ]);
  await runSession(queue, [
    { verb: 'blocked', on: '2', kind: 'upstream_task' },
    { verb: 'partial', summary: 's', remaining: 'r' },
  ]);
  await features(queue, { now: 'planned' });
  await skip(queue, [2]);
  expect(await list(queue, {})).toMatchObject([{ status: 'blocked' }, { status: 'skipped' }]);
  await features(queue, { now: 'active' });
  expect(await list(queue, {})).toMatchObject([{ status: 'pending', open_blockers: 0 }, {}]);
});

it('a deprecated feature stays deprecated when its last task is skipped', async () => {
  const queue = await openTestQueue();
  await applyDefinitions(
    queue,
    { ...NO_DEFINITIONS, features: [{ at: 'f', name: 'old', fields: { status: 'deprecated' } }] },
    'import',
  );
  await addTasks(queue, [{ title: 'Old', feature: 'old' }]);
  await skip(queue, [1]);
  const [old] = await allFeatures(queue);
  expect(old?.feature.status).toBe('deprecated');
});
