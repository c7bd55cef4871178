import type { Recipe } from './recipe.ts';
import { codebase } from './sections/codebase.ts';
import { planInstructions } from './sections/instructions/plan.ts';
import { planningContext } from './sections/planning-context.ts';
import { projectContext } from './sections/project-context.ts';
import { quotedText } from './sections/quoted-text.ts';
import { stateFiles } from './sections/state-files.ts';

export const plan: Recipe = {
  name: 'plan',
  summary: 'turn specifications into features and tasks',
  subject: 'project',
  system: [],
  sections: [quotedText, projectContext, codebase, stateFiles, planningContext, planInstructions],
  tools: ['create_feature', 'create_tasks', 'update_task'],
};
