import type { KyselyPlugin } from 'kysely';
import { expect, it } from 'vitest';
import { createDiscipline } from '../../../src/queue/definitions/edit.ts';
import type { Queue } from '../../../src/queue/queue.ts';
import { startRun } from '../../../src/queue/sessions/runs.ts';
import { taskAgent, tasksOfAgents } from '../../../src/queue/sessions/task-agent.ts';
import { addTasks } from '../../../src/queue/tasks/add.ts';
import { claim } from '../../../src/queue/tasks/claim.ts';
import { list } from '../../../src/queue/tasks/list.ts';
import { peek } from '../../../src/queue/tasks/status.ts';
import { newSessionId, openTestQueue, runSession } from '../../support/queue.ts';

const CONFIG = {
  agent: 'claude',
  agents: {},
  model: 'haiku',
  ladder: ['haiku', 'codex/gpt'],
  when_limited: 'wait',
} as const;

/** The same queue, and how many queries it has been asked since. */
function counting(queue: Queue): { queue: Queue; count(): number } {
  let queries = 0;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      queries += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const read: Queue['store']['read'] = (work) => queue.store.read((db) => work(db.withPlugin(plugin)));
  return { queue: { ...queue, store: { ...queue.store, read } }, count: () => queries };
}

it('the tasks of a parked agent are found by a few queries, however many there are, and the claim passes over all of them', async () => {
  for (const many of [10, 3_000]) {
    const queue = await openTestQueue();
    await addTasks(
      queue,
      Array.from({ length: many }, () => ({ title: 'Parked', agent: 'codex', priority: 'high' as const })),
    );
    await addTasks(queue, [{ title: 'Free' }]);
    const counted = counting(queue);
    const parked = await tasksOfAgents(counted.queue, ['codex'], CONFIG, undefined);
    expect(counted.count()).toBeLessThanOrEqual(3);
    expect(parked).toHaveLength(many);
    expect(await peek(queue, [], parked)).toMatchObject({ title: 'Free' });
    const run_id = await startRun(queue, { pid: 1, process_started: null });
    const next = { run_id, session_id: newSessionId(), except: parked };
    expect(await claim(queue, next)).toMatchObject({ task: { title: 'Free' } });
  }
});

it('the agent of a ready task is the same for all tasks at once as for each alone', async () => {
  const queue = await openTestQueue();
  await createDiscipline(queue, { name: 'backend', fields: { agent: 'codex' } });
  await addTasks(queue, [
    { title: 'Its last session asked for another model' },
    { title: 'Its discipline says so', discipline: 'backend' },
    { title: 'The task says otherwise', discipline: 'backend', agent: 'gemini' },
    { title: 'Its model names the agent', model: 'codex/gpt' },
    { title: 'The agent of the project' },
  ]);
  const { session_id } = await runSession(queue, [{ verb: 'partial', summary: 'Half.', remaining: 'Half.' }]);
  await queue.store.write((db) =>
    db.updateTable('sessions').set({ next_model: 'codex/gpt' }).where('id', '=', session_id).execute(),
  );
  const tasks = await list(queue, {});
  const alone = await Promise.all(
    tasks.map(async (task) => [task.id, (await taskAgent(queue, CONFIG, task)).agent] as const),
  );
  expect(alone.map(([, agent]) => agent)).toEqual(['codex', 'codex', 'gemini', 'codex', 'claude']);
  for (const agent of ['codex', 'gemini', 'claude'])
    expect(await tasksOfAgents(queue, [agent], CONFIG, undefined)).toEqual(
      alone.flatMap(([id, own]) => (own === agent ? [id] : [])),
    );
});
