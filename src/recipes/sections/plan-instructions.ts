import { line } from '../markdown.ts';
import type { Section } from '../section.ts';

export const planInstructions: Section = {
  name: 'plan_instructions',
  question: 'How do I turn specifications into a plan?',
  source: 'the recipe; config: specs',
  render: ({ project }) => `## How to plan

Read every Markdown file in ${project.specs.length === 0 ? 'the directories of specifications' : project.specs.map((folder) => `\`${line(folder)}\``).join(', ')}, and then the code they are about. The specifications are read-only.

1. Each specification is one feature: \`create_feature\` with its \`spec_file\`, a description of two or three sentences, its acceptance criteria in its own
   words, and its place in the order as \`priority\` (1 first). A feature that is there already is not made again.
2. Find out what is done: look for the code before you plan it.
3. Call \`create_tasks\` with what is missing, in an order that keeps the project working after each. A task is one session's work, has a title that starts
   with a verb, criteria that a test can confirm, and the dependencies that are truly needed.
4. Tasks that are there already: \`update_task\` where the specification changed; nothing that is done is touched.

Where a specification contradicts itself, another one or the code, say so in the task's description and plan the reading you think is meant.`,
};
