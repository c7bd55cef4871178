import type { Recipe, Section } from './recipe.ts';
import { stateFiles } from './sections/files.ts';
import { planningContext } from './sections/planning-context.ts';
import { projectContext } from './sections/project-context.ts';
import { quotedText, userInput } from './sections/quoted-text.ts';

const rambleInstructions: Section = {
  name: 'ramble_instructions',
  question: 'How do I help to think something through?',
  source: 'the recipe',
  render: () => `## How to think along

The person wants to think aloud, at length. Let them. Follow the thread, and when it forks, say where.

- Ask what would change the picture: who needs it, what happens today, what is the smallest version that helps.
- Look into the code when a claim about it decides something, and say what you found.
- Every now and then, sum up in three lines: what is settled, what is open, what contradicts.

Only when they want to keep something, record it: \`create_feature\` for a domain, \`create_tasks\` for drafts, \`append_learning\` for a
decision with its reason. Do not write code.`,
};

export const ramble: Recipe = {
  name: 'ramble',
  summary: 'think something through at length',
  subject: 'project',
  system: [],
  sections: [quotedText, projectContext, stateFiles, planningContext, userInput, rambleInstructions],
  tools: ['create_feature', 'create_tasks', 'append_learning'],
};
