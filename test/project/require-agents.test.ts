// Every door by which a task or a discipline gets an agent, or a task the labels that it needs.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { databasePath, findProject } from '../../src/host/project.ts';
import { closeQueue, openQueue } from '../../src/queue/queue.ts';
import { add, edit } from '../../src/ui/actions/tasks.ts';
import type { UiBackend } from '../../src/ui/backend.ts';
import { callTool, connectWithin } from '../support/mcp.ts';
import { initialised } from '../support/ralph.ts';

type Fields = { agent: string; needs: readonly string[] };
type Answer = { isRefused: boolean; text: string };

/** Each takes the fields of a task, and answers with what the person or the agent reads. */
async function openDoors() {
  const project = await initialised();
  await project.json('add', 'One');
  const client = await connectWithin(project);
  const queue = await openQueue(databasePath(findProject(project.root).stateDir));
  const backend = { queue, root: project.root } as UiBackend;
  const command = async (...args: string[]): Promise<Answer> => {
    const { code, stdout, stderr } = await project.within(...args);
    return { isRefused: code === 1, text: code === 0 ? stdout : stderr };
  };
  const file = async (name: string, content: unknown): Promise<Answer> => {
    writeFileSync(join(project.home, name), JSON.stringify(content));
    return command('import', join(project.home, name));
  };
  const tool = async (name: string, input: object): Promise<Answer> => {
    const { text, isError } = await callTool(client, name, { ...input });
    return { isRefused: isError, text };
  };
  const page = (run: () => Promise<{ message: string }>): Promise<Answer> =>
    run().then(
      ({ message }) => ({ isRefused: false, text: message }),
      (error: unknown) => ({ isRefused: true, text: String(error) }),
    );
  const NOW = { agent: null, needs: [] };
  const doors: Record<string, (fields: Fields) => Promise<Answer>> = {
    add: ({ agent, needs }) => command('add', 'By add', '--agent', agent, '--needs', needs.join(',')),
    edit: ({ agent, needs }) => command('edit', '1', '--agent', agent, '--needs', needs.join(',')),
    'import of a backlog': (fields) =>
      file('implementation.json', {
        version: 1,
        specs: [],
        tasks: [{ id: 'a', description: 'By import', ...fields }],
      }),
    'import of definitions': (fields) => file('tasks.yaml', { tasks: [{ title: 'By yaml', ...fields }] }),
    create_tasks: (fields) => tool('create_tasks', { tasks: [{ title: 'By tool', ...fields }] }),
    update_task: (fields) => tool('update_task', { id: 1, ...fields }),
    enrich_task: (fields) => tool('enrich_task', { id: 1, ...fields }),
    'dashboard, new': (fields) =>
      page(() => add.run(backend, add.input.parse({ title: 'By page', ...fields }))),
    'dashboard, change': (fields) =>
      page(() => edit.run(backend, edit.input.parse({ id: 1, change: fields, seen: NOW }))),
  };
  const reset = () => project.json('edit', '1', '--agent', '', '--needs', '');
  const tasks = async () =>
    ((await project.json('list')) as (Fields & { id: number })[]).map(({ agent, needs }) => ({
      agent,
      needs,
    }));
  return { project, doors, reset, tasks, tool, end: () => closeQueue(queue) };
}

it('an agent that does not exist is refused at every door, and one that does gets in with what its task needs', async () => {
  const { doors, reset, tasks, tool, end } = await openDoors();
  for (const [name, door] of Object.entries(doors)) {
    const before = await tasks();
    const refused = await door({ agent: 'codx', needs: ['gpu'] });
    expect.soft(refused, name).toMatchObject({
      isRefused: true,
      text: expect.stringContaining('There is no agent "codx"; there are claude, codex'),
    });
    expect.soft(await tasks(), name).toEqual(before);
    const fields = { agent: 'codex', needs: ['gpu', 'x86'] };
    const having = async () => (await tasks()).filter((task) => isDeepStrictEqual(task, fields)).length;
    const earlier = await having();
    expect.soft(await door(fields), name).toMatchObject({ isRefused: false });
    expect.soft(await having(), name).toBe(earlier + 1);
    await reset();
  }
  for (const [name, input] of [
    ['create_discipline', { name: 'data', system_prompt: 'You are a data engineer.', agent: 'codx' }],
    ['update_discipline', { name: 'backend', agent: 'codx' }],
  ] as const)
    expect.soft(await tool(name, input), name).toMatchObject({ isRefused: true });
  await end();
});
