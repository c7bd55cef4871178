import type { Recipe } from './recipe.ts';
import { yapInstructions } from './sections/instructions/yap.ts';
import { planningContext } from './sections/planning-context.ts';
import { projectContext } from './sections/project-context.ts';
import { quotedText } from './sections/quoted-text.ts';
import { userInput } from './sections/user-input.ts';

export const yap: Recipe = {
  name: 'yap',
  summary: 'take in a quick thought',
  subject: 'project',
  system: [],
  sections: [quotedText, projectContext, planningContext, userInput, yapInstructions],
  tools: ['create_tasks', 'update_task', 'append_learning'],
};
