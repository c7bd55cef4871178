import type { PromptContext } from '../../domain/context.ts';
import { line, under } from '../../domain/text/markdown.ts';
import { taskTitle } from '../quoted.ts';
import type { Section } from '../recipe.ts';

export const planningContext: Section = {
  name: 'planning_context',
  question: 'What features, disciplines and tasks are there already?',
  source: 'features, disciplines, open tasks',
  render: (context) =>
    under('## What there is already', features(context), disciplines(context), openTasks(context)),
};

function features({ features: all }: PromptContext): string | null {
  if (all.length === 0) return null;
  const items = all.map(
    ({ name, description, status, spec_file }) =>
      `- \`${line(name)}\` (${[status, ...(spec_file === null ? [] : [`from ${line(spec_file)}`])].join(', ')})${description === null ? '' : `: ${line(description)}`}`,
  );
  return `### Features\n\n${items.join('\n')}`;
}

function disciplines({ disciplines: all }: PromptContext): string | null {
  if (all.length === 0) return null;
  return `### Disciplines\n\n${all.map(({ name, display_name }) => `- \`${line(name)}\`${display_name === null ? '' : `: ${line(display_name)}`}`).join('\n')}`;
}

function openTasks({ open_tasks }: PromptContext): string | null {
  if (open_tasks.length === 0) return null;
  const items = open_tasks.map(
    ({ id, status, feature, ...task }) =>
      `- #${id} ${taskTitle(task)} (${feature === null ? status : `${line(feature)}, ${status}`})`,
  );
  return `### Open tasks\n\n${items.join('\n')}`;
}
