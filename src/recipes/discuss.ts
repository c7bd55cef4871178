import type { Recipe } from './recipe.ts';
import { discussInstructions } from './sections/instructions/discuss.ts';
import { planningContext } from './sections/planning-context.ts';
import { projectContext } from './sections/project-context.ts';
import { quotedText } from './sections/quoted-text.ts';
import { stateFiles } from './sections/state-files.ts';
import { userInput } from './sections/user-input.ts';

export const discuss: Recipe = {
  name: 'discuss',
  summary: 'argue one question out',
  subject: 'project',
  system: [],
  sections: [quotedText, projectContext, stateFiles, planningContext, userInput, discussInstructions],
  tools: ['create_tasks', 'append_learning'],
};
