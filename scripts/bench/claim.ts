import { randomUUID } from 'node:crypto';
import { closeQueue, type Queue } from '../../src/queue/queue.ts';
import { startRun } from '../../src/queue/sessions/runs.ts';
import { claim } from '../../src/queue/tasks/claim.ts';
import { updateTask } from '../../src/store/tasks/tasks.ts';
import { fill, type Shape } from './fill.ts';
import { type Bench, compare } from './measure.ts';

const [SMALL, LARGE] = [1_000, 100_000];

/** The shapes in which a search for something ready could go wrong. */
const SHAPES: Record<string, Shape> = {
  'all ready': { depends_on: () => [] },
  'a long chain': { depends_on: (id) => (id === 1 ? [] : [id - 1]) },
  'a wide fan-in': {
    depends_on: (id, size) =>
      id === size ? Array.from({ length: Math.min(size, 30_000) - 1 }, (_, index) => index + 1) : [],
  },
  'all blocked but the last': { depends_on: (id, size) => (id === size ? [] : [size]) },
  'none ready': { depends_on: (id) => (id === 1 ? [] : [1]) },
  'all but the last start later': {
    depends_on: () => [],
    not_before: (id, size) => (id === size ? null : Date.now() + 86_400_000),
  },
};

export const claims: Bench = async (folder) => {
  const rows = [];
  for (const [name, shape] of Object.entries(SHAPES)) {
    const queues = [await fill(folder, name, LARGE, shape), await fill(folder, name, SMALL, shape)] as const;
    const [large, small] = [await claimer(queues[0], name), await claimer(queues[1], name)];
    const { measured, against } = await compare(300, large, small);
    rows.push({
      name: `claim at 100,000 tasks against 1,000: ${name}`,
      ratio: measured / against,
      atMost: 2,
      detail: `${(measured * 1000).toFixed(0)} µs against ${(against * 1000).toFixed(0)} µs`,
    });
    for (const queue of queues) await closeQueue(queue);
  }
  return rows;
};

/** Claims, and puts what it got back, so that every round finds the same queue. Both sides pay for that alike. */
export async function claimer(queue: Queue, shape = ''): Promise<() => Promise<void>> {
  const run_id = await startRun(queue, { pid: process.pid, process_started: null });
  if (shape === 'none ready') await claim(queue, { run_id, session_id: randomUUID() });
  return async () => {
    const claimed = await claim(queue, { run_id, session_id: randomUUID() });
    if (claimed !== null)
      await queue.store.write((db) => updateTask(db, claimed.task.id, { status: 'pending' }));
  };
}
