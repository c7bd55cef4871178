import type { PromptContext } from '../../domain/context.ts';
import type { Provenance, Task } from '../../domain/tasks/task.ts';
import { checkboxes, line, list, optional, prose, under } from '../../domain/text/markdown.ts';
import type { Section } from '../section.ts';

/** How much interpretation the task may need, depending on its author. */
const TONE: Record<Provenance, string> = {
  human:
    'A person wrote this task. Where it leaves something open, choose what fits the codebase best and say so in your summary.',
  agent:
    'An earlier session proposed this task and a person approved it. Check its assumptions against the code before you build on them.',
  system: 'Ralph made this task. Do exactly what it says and nothing beside it.',
};

const INVESTIGATE =
  'It is to investigate: no file has to change. Your summary is the result, so say there what you found out.';

export const taskDetails: Section = {
  name: 'task_details',
  question: 'What exactly do I build, what counts as done, and how should I go about it?',
  source: 'task: title, description, parent, criteria, output, hints, pseudocode, provenance',
  render: ({ task, parent }) =>
    task === null
      ? null
      : under(
          `## Your task: #${task.id} ${line(task.title)}`,
          TONE[task.provenance],
          task.kind === 'investigate' ? INVESTIGATE : null,
          ...details(task, parent),
        ),
};

/** For a reviewer, whose task it is not. */
export const reviewedTask: Section = {
  ...taskDetails,
  question: 'What was the session asked to do, and what counts as done?',
  render: ({ task, parent }) =>
    task === null
      ? null
      : under(
          `## The session's task: #${task.id} ${line(task.title)}`,
          'It is not yours to do: judge the work below by it.',
          ...details(task, parent),
        ),
};

const details = (task: Task, parent: PromptContext['parent']): (string | null)[] => [
  optional(task.description),
  parent === null
    ? null
    : under('### Part of a larger task', `#${parent.id} ${line(parent.title)}`, optional(parent.description)),
  task.acceptance_criteria.length === 0
    ? null
    : `### It is done when\n\n${checkboxes(task.acceptance_criteria)}`,
  task.output_artifacts.length === 0
    ? null
    : `### Files to create or change\n\n${list(task.output_artifacts)}`,
  ...guidance(task),
];

const guidance = ({ hints, pseudocode }: Task): (string | null)[] => [
  optional(hints, (text) => `### Hints\n\n${prose(text)}`),
  optional(pseudocode, (text) => `### Plan\n\n${prose(text)}`),
];
