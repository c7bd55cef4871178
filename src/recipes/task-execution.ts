import type { PromptContext } from '../domain/context.ts';
import { commandLine } from '../domain/sessions/gate.ts';
import { code, fence, line } from '../domain/text/markdown.ts';
import type { Recipe, Section } from './recipe.ts';
import { decisions } from './sections/decisions.ts';
import { disciplinePersona } from './sections/discipline-persona.ts';
import { featureContext, featureState } from './sections/feature-context.ts';
import { featureFiles, stateFiles, taskFiles } from './sections/files.ts';
import { previousAttempts } from './sections/previous-attempts.ts';
import { projectContext } from './sections/project-context.ts';
import { protocol } from './sections/protocol.ts';
import { systemRules } from './sections/system-rules.ts';
import { dependencyContext, taskDetails } from './sections/task-details.ts';

/** Tells the agent who commits, by the project's policy. */
const COMMITS: Record<PromptContext['commit'], string> = {
  task: 'Do not commit; Ralph does, once the gates have passed.',
  feature: 'Do not commit; Ralph does, when the feature is done.',
  agent: 'Commit your work when the checks pass, with a message that says what and why.',
  never: 'Do not commit: nobody does here but a person.',
};

const taskExecInstructions: Section = {
  name: 'task_exec_instructions',
  question: 'What do I do now, and how do I say that I am finished?',
  source: 'the recipe, the protocol',
  render: ({ task, protocol, commit, attempts, gates }) => {
    if (task === null) return null;
    const first =
      attempts.length === 0
        ? 'Look at the code that is there before you add any.'
        : 'Read "Previous tries" and look at the work tree: part of the work may be there already.';
    const finish =
      protocol === 'verbs'
        ? 'Call `done` with a summary. If work remains, call `partial` with what remains; if you cannot go on, call `stuck` with the reason.'
        : `End with \`<task-done>${task.id}</task-done>\`, or with \`<task-failed>${task.id}</task-failed>\` and the reason in plain words.`;
    return `## What to do now

1. ${first}
2. Do task #${task.id}, all of it and nothing else.
3. ${checks(gates)}
4. ${COMMITS[commit]}
5. ${finish}`;
  },
};

/** Lists the exact commands that Ralph will run. */
function checks(gates: PromptContext['gates']): string {
  if (gates.length === 0) return 'Run what the project runs to check itself, and repair what fails.';
  return `Run the gates in the project's folder, and repair what fails: Ralph runs the same commands after you and believes only them.\n${gates.map(gateItem).join('\n')}`;
}

type Gate = PromptContext['gates'][number];

function gateItem({ name, command, required, expect }: Gate): string {
  const notes = [required ? '' : ' (may fail)', expect === null ? '' : ` (must print ${code(line(expect))})`];
  const text = commandLine(command).trim();
  const shown = text.includes('\n') ? `\n${fence(text, 'sh')}` : ` ${code(text)}`;
  return `- ${line(name)}${notes.join('')}:${shown}`.replace(/^/gm, '   ');
}

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
