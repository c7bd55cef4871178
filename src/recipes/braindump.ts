import type { Recipe } from './recipe.ts';
import { codebase } from './sections/codebase.ts';
import { braindumpInstructions } from './sections/instructions/braindump.ts';
import { planningContext } from './sections/planning-context.ts';
import { projectContext } from './sections/project-context.ts';
import { quotedText } from './sections/quoted-text.ts';
import { userInput } from './sections/user-input.ts';

export const braindump: Recipe = {
  name: 'braindump',
  summary: 'turn unsorted thoughts into draft tasks',
  subject: 'project',
  system: [],
  sections: [quotedText, projectContext, codebase, planningContext, userInput, braindumpInstructions],
  tools: ['create_feature', 'create_tasks'],
};
