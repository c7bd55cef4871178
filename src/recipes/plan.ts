import type { PromptContext } from '../domain/context.ts';
import { line } from '../domain/text/markdown.ts';
import { askForDiscipline } from './disciplines.ts';
import type { Recipe, Section } from './recipe.ts';
import { stateFiles } from './sections/files.ts';
import { planningContext } from './sections/planning-context.ts';
import { codebase, projectContext } from './sections/project-context.ts';
import { quotedText } from './sections/quoted-text.ts';

const planInstructions: Section = {
  name: 'plan_instructions',
  question: 'How do I turn specifications into a plan?',
  source: 'the recipe; config: specs',
  render: (context) => `## How to plan

Read the specifications, ${specifications(context)}, and then the code they are about. They are read-only, and so is everything
else: what you change, you change by Ralph's tools.

1. Each specification is one feature: \`create_feature\` with its \`spec_file\`, a description of two or three sentences, its acceptance criteria in its own
   words, and its place in the order as \`priority\` (1 first). A feature that is there already is not made again.
2. Find out what is done: look for the code before you plan it. The resource \`ralph://features/NAME\` lists the tasks of a feature, done ones too.
3. Call \`create_tasks\` with what is missing, in an order that keeps the project working after each. A task is one session's work, has a title that starts
   with a verb, criteria that a test can confirm, its feature, and the dependencies that are truly needed.${askForDiscipline(context)}
4. Tasks that are there already: \`update_task\` where the specification changed; nothing that is done is touched.

Where a specification contradicts itself, another one or the code, say so in the task's description and plan the reading you think is meant.`,
};

const specifications = ({ project: { specs } }: PromptContext): string =>
  specs.length === 0
    ? 'which the person will name'
    : `every Markdown file of ${specs.map((place) => `\`${line(place)}\``).join(', ')}`;

export const plan: Recipe = {
  name: 'plan',
  summary: 'turn specifications into features and tasks',
  subject: 'project',
  system: [],
  sections: [quotedText, projectContext, codebase, stateFiles, planningContext, planInstructions],
  tools: ['create_feature', 'create_tasks', 'update_task'],
};
