import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Option } from 'commander';
import { RECIPE_NAMES } from '../domain/config.ts';
import type { RecipeName } from '../domain/context.ts';
import { Refusal } from '../domain/refusal.ts';
import { sessionDir } from '../host/project.ts';
import type { Prompt } from '../recipes/render.ts';
import { type CommandContext, defineCommand } from './command.ts';
import { taskId } from './parse.ts';
import { type Project, withProject } from './project.ts';
import { table } from './table.ts';

type PromptOptions = { recipe: RecipeName; explain?: boolean; diff?: boolean };

export const prompt = defineCommand<[id: number], PromptOptions>({
  name: 'prompt',
  summary: 'print exactly what an agent would get for a task',
  group: 'Look',
  args: [taskId()],
  options: [
    new Option('--recipe <name>', 'which prompt').choices(RECIPE_NAMES).default('task_execution'),
    new Option('--explain', 'show each section, the question it answers, its cost and where it comes from'),
    new Option('--diff', "show what changed since the prompt of the task's last session"),
  ],
  examples: ['ralph prompt 7', 'ralph prompt 7 --explain', 'ralph prompt 7 --json'],
  run: (context, [id], { recipe, explain = false, diff = false }) =>
    withProject(context, async (project) => {
      const written = await writePrompt(context, project, id, recipe);
      const { system, prompt: text, hash, sections } = written;
      const json = { system, prompt: text, hash, sections };
      if (diff) return { json, text: await diffText(context, project, id, written) };
      return { json, text: explain ? explainText(written, context) : `${system}\n${text}`.trim() };
    }),
});

async function writePrompt(
  context: CommandContext,
  { root, queue }: Project,
  task_id: number,
  name: RecipeName,
): Promise<Prompt> {
  // Imported late: only prompts need all of this.
  const [
    { gather },
    { RECIPES },
    { withOverride },
    { render },
    { readConfig, readRecipeOverrides },
    { diffSince },
  ] = await Promise.all([
    import('../knowledge/gather.ts'),
    import('../recipes/index.ts'),
    import('../recipes/override.ts'),
    import('../recipes/render.ts'),
    import('../knowledge/read-config.ts'),
    import('../host/git.ts'),
  ]);
  const recipe = withOverride(RECIPES[name], (await readRecipeOverrides(root)).get(name));
  const source = {
    store: queue.store,
    root,
    title: basename(root),
    config: await readConfig(root),
    diffSince: (commit: string) => diffSince({ root, env: context.env }, commit),
  };
  const inputs = { task: { task_id }, drafts: { drafts: [task_id] }, project: {} };
  return render(recipe, await gather(source, inputs[recipe.subject]));
}

async function diffText(
  context: CommandContext,
  { root, stateDir, queue }: Project,
  id: number,
  { prompt: now }: Prompt,
): Promise<string> {
  const { show } = await import('../queue/show.ts');
  const { diffFromFile } = await import('../host/git.ts');
  const last = (await show(queue, id)).sessions.at(-1);
  const file = last === undefined ? null : join(sessionDir(stateDir, last.id), 'prompt.md');
  if (file === null || !existsSync(file))
    throw new Refusal(
      `Task ${id} has had no session whose prompt was kept; there is nothing to compare with.`,
    );
  return (
    (await diffFromFile({ root, env: context.env }, file, now))?.trimEnd() ??
    'Nothing has changed since the last session.'
  );
}

function explainText({ sections, hash }: Prompt, { terminal }: CommandContext): string {
  const total = (key: 'bytes' | 'tokens'): number => sections.reduce((sum, section) => sum + section[key], 0);
  const columns = [
    { title: 'SECTION', cells: sections.map(({ name }) => name) },
    { title: 'BYTES', align: 'right' as const, cells: sections.map(({ bytes }) => String(bytes)) },
    { title: 'TOKENS', align: 'right' as const, cells: sections.map(({ tokens }) => String(tokens)) },
    { title: 'QUESTION', flexible: true, cells: sections.map(({ question }) => question) },
    { title: 'SOURCE', flexible: true, cells: sections.map(({ source }) => source) },
  ];
  return `${table(columns, terminal)}\n\n${total('bytes')} bytes, about ${total('tokens')} tokens, hash ${hash.slice(0, 12)}`;
}
