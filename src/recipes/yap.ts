import type { Recipe, Section } from './recipe.ts';
import { planningContext } from './sections/planning-context.ts';
import { projectContext } from './sections/project-context.ts';
import { quotedText, userInput } from './sections/quoted-text.ts';

const yapInstructions: Section = {
  name: 'yap_instructions',
  question: 'How do I take in a quick thought?',
  source: 'the recipe',
  render: () => `## How to listen

The person wants to get something off their chest, quickly. Keep up with them: short answers, at most one question at a time, and only one that changes what
you would record.

Record as you go: a wish as a draft (\`create_tasks\`), a correction of a task (\`update_task\`), a fact or a rule worth keeping
(\`append_learning\`). Say in half a line what you recorded. Do not plan, do not explain, do not write code.`,
};

export const yap: Recipe = {
  name: 'yap',
  summary: 'take in a quick thought',
  subject: 'project',
  system: [],
  sections: [quotedText, projectContext, planningContext, userInput, yapInstructions],
  tools: ['create_tasks', 'update_task', 'append_learning'],
};
