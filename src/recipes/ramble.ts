import type { Recipe } from './recipe.ts';
import { rambleInstructions } from './sections/instructions/ramble.ts';
import { planningContext } from './sections/planning-context.ts';
import { projectContext } from './sections/project-context.ts';
import { quotedText } from './sections/quoted-text.ts';
import { stateFiles } from './sections/state-files.ts';
import { userInput } from './sections/user-input.ts';

export const ramble: Recipe = {
  name: 'ramble',
  summary: 'think something through at length',
  subject: 'project',
  system: [],
  sections: [quotedText, projectContext, stateFiles, planningContext, userInput, rambleInstructions],
  tools: ['create_feature', 'create_tasks', 'append_learning'],
};
