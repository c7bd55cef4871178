import { Option } from 'commander';
import { withProject } from '../../../app/open-project.ts';
import type { CommandContext } from '../../../app/world.ts';
import { RECIPE_NAMES } from '../../../domain/config.ts';
import type { RecipeName } from '../../../domain/context.ts';
import type { Prompt } from '../../../recipes/render.ts';
import { table } from '../../../text/terminal/table.ts';
import { wrap } from '../../../text/terminal/wrap.ts';
import { defineCommand } from '../../command.ts';
import { taskId } from '../../parse.ts';

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
      // Imported late: only prompts need this.
      const [{ promptDiff, writePrompt }, { RECIPES }] = await Promise.all([
        import('../../../app/sessions/prompt.ts'),
        import('../../../recipes/index.ts'),
      ]);
      const isLaunched = recipe === 'task_execution';
      const inputs = { task: { task_id: id, isLaunched }, drafts: { drafts: [id] }, project: {} };
      const written = await writePrompt(context, project, recipe, inputs[RECIPES[recipe].subject]);
      const { system, prompt: text, hash, sections } = written;
      const json = { system, prompt: text, hash, sections };
      if (diff) return { json, text: await promptDiff(context, project, id, written) };
      return { json, text: explain ? explainText(written, context) : `${system}\n${text}`.trim() };
    }),
});

function explainText({ sections, hash }: Prompt, { terminal }: CommandContext): string {
  const total = (key: 'bytes' | 'tokens'): number => sections.reduce((sum, section) => sum + section[key], 0);
  const columns = [
    { title: 'SECTION', cells: sections.map(({ name }) => name) },
    { title: 'BYTES', align: 'right' as const, cells: sections.map(({ bytes }) => String(bytes)) },
    { title: 'TOKENS', align: 'right' as const, cells: sections.map(({ tokens }) => String(tokens)) },
    { title: 'QUESTION', flexible: true, cells: sections.map(({ question }) => question) },
  ];
  const sources = sections.map(({ name, source }) => wrap(`- ${name}: ${source}`, terminal.columns));
  return `${table(columns, terminal)}\n\n${sources.join('\n')}\n\n${total('bytes')} bytes, about ${total('tokens')} tokens, hash ${hash.slice(0, 12)}`;
}
