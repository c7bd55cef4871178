import type { Recipe } from './recipe.ts';
import { decisions } from './sections/decisions.ts';
import { dependencyContext } from './sections/dependency-context.ts';
import { disciplinePersona } from './sections/discipline-persona.ts';
import { featureContext } from './sections/feature-context.ts';
import { featureFiles } from './sections/feature-files.ts';
import { featureState } from './sections/feature-state.ts';
import { taskExecInstructions } from './sections/instructions/task-exec.ts';
import { previousAttempts } from './sections/previous-attempts.ts';
import { projectContext } from './sections/project-context.ts';
import { protocol } from './sections/protocol.ts';
import { stateFiles } from './sections/state-files.ts';
import { systemRules } from './sections/system-rules.ts';
import { taskDetails } from './sections/task-details.ts';
import { taskFiles } from './sections/task-files.ts';

export const taskExecution: Recipe = {
  name: 'task_execution',
  summary: 'do one task of the queue',
  subject: 'task',
  system: [systemRules, protocol],
  sections: [
    projectContext,
    disciplinePersona,
    featureContext,
    decisions,
    featureFiles,
    featureState,
    stateFiles,
    previousAttempts,
    dependencyContext,
    taskDetails,
    taskFiles,
    taskExecInstructions,
  ],
  tools: ['done', 'partial', 'stuck', 'ask', 'flag', 'learned', 'suggest', 'blocked', 'add_context_file'],
};
