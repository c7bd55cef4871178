import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RECIPE_NAMES } from '../../src/domain/config.ts';
import { findProject } from '../../src/host/project.ts';
import { sessionDir } from '../../src/host/session-folder.ts';
import { claimed, connectWithin, ERAS } from '../support/mcp.ts';
import { initialised } from '../support/ralph.ts';

type Client = Awaited<ReturnType<typeof connectWithin>>;

async function promptText(client: Client, name: string, args: Record<string, string>): Promise<string> {
  const [message] = (await client.getPrompt({ name, arguments: args })).messages;
  return message?.content.type === 'text' ? message.content.text : '';
}

describe.each(ERAS)('prompts (%s)', (era) => {
  it('prompts are one a recipe, each with what a person gives it', async () => {
    const client = await connectWithin(await initialised(), { era });
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(RECIPE_NAMES);
    expect(prompts.find(({ name }) => name === 'task_execution')?.arguments).toEqual([
      { name: 'id', description: 'number of the task', required: true },
    ]);
  });

  it('prompts are what ralph prompt shows, and say that the task is not taken yet', async () => {
    const project = await initialised();
    await project.json('add', 'Do it');
    const client = await connectWithin(project, { era });
    const { stdout } = await project.ralph('prompt', '1');
    const text = await promptText(client, 'task_execution', { id: '1' });
    expect(text.startsWith('This task is not yours yet: call next_task with id 1')).toBe(true);
    // A client has no such tool, and nothing honours its request for a model: the rules offer neither.
    const [rules = '', work = ''] = stdout.split(/^(?=# Project)/m);
    expect(text).toContain(rules.split('| `add_context_file')[0]?.trim());
    expect(text).not.toMatch(/add_context_file|next-model/);
    expect(text.trim().endsWith(work.trim())).toBe(true);
    expect(await promptText(client, 'braindump', { text: 'Make it fast' })).toContain('Make it fast');
    await project.json('add', 'A draft', '--draft');
    expect(await promptText(client, 'enrichment', { ids: '2' })).toContain('A draft');
  });
});

it('hands a bound session exactly the prompt that was written down for it', async () => {
  const project = await initialised();
  await project.json('add', 'Do it');
  const { env } = await claimed(project, 'bound');
  const folder = sessionDir(findProject(project.root).stateDir, 'bound');
  mkdirSync(folder, { recursive: true });
  const written = 'Exactly this.\n\n  And this: `ä` \u{1f642}\n';
  writeFileSync(join(folder, 'prompt.md'), written);
  const client = await connectWithin(project, { env });
  expect(await promptText(client, 'task_execution', { id: '1' })).toBe(written);
  await expect(promptText(client, 'task_execution', { id: '2' })).rejects.toThrow(
    /This session is for task 1/,
  );
});

it('a prompt refuses wrong arguments and names those that it needs', async () => {
  const project = await initialised();
  const client = await connectWithin(project);
  const refused: [string, Record<string, string>, RegExp][] = [
    ['task_execution', {}, /needs "id"/],
    ['task_execution', { id: 'seven' }, /"seven" is not the number of a task/],
    ['task_execution', { id: '99' }, /There is no task 99/],
    ['nothing', {}, /There is no prompt "nothing"/],
  ];
  for (const [name, args, message] of refused)
    await expect(client.getPrompt({ name, arguments: args })).rejects.toThrow(message);
});
