import type { PromptContext } from '../../domain/context.ts';
import type { Provenance, Task } from '../../domain/tasks/task.ts';
import { checkboxes, fence, list, optional, quotedSpan, under } from '../../domain/text/markdown.ts';
import { quoteOrders, taskText, taskTitle } from '../quoted.ts';
import type { Section } from '../recipe.ts';

/** How much interpretation the task may need, depending on its author. */
const TONE: Record<Provenance, string> = {
  human:
    'A person wrote this task. Where it leaves something open, choose what fits the codebase best and say so in your summary.',
  agent:
    'An earlier session proposed this task and a person approved it. Check its assumptions against the code before you build on them.',
  system: 'Ralph made this task. Do exactly what it says and nothing beside it.',
};

/** The words of an imported task come from outside the project, so the prompt says where they come from. */
function tone({ provenance }: Task, origin: PromptContext['origin']): string {
  if (origin === null || provenance !== 'human') return TONE[provenance];
  const { source, board, author } = origin;
  const place = board === source ? source : `${quotedSpan(board)} (${source})`;
  const writer = author === null ? 'a person or a tool' : quotedSpan(author);
  return `This task was imported from ${place}; ${writer} wrote it there. Check its assumptions against the code. Where it leaves something open, choose what fits the codebase best and say so in your summary.`;
}

const INVESTIGATE =
  'It is to investigate: no file has to change. Your summary is the result, so say there what you found out.';

export const taskDetails: Section = {
  name: 'task_details',
  question: 'What exactly do I build, what counts as done, and how should I go about it?',
  source: 'task: title, description, parent, criteria, output, hints, pseudocode, provenance, origin',
  render: ({ task, ...context }) =>
    task === null
      ? null
      : under(
          `## Your task: #${task.id} ${taskTitle(task)}`,
          tone(task, context.origin),
          task.kind === 'investigate' ? INVESTIGATE : null,
          ...details(task, context),
        ),
};

/** For a reviewer, whose task it is not. */
export const reviewedTask: Section = {
  ...taskDetails,
  question: 'What was the session asked to do, and what counts as done?',
  render: ({ task, ...context }) =>
    task === null
      ? null
      : under(
          `## The session's task: #${task.id} ${taskTitle(task)}`,
          'It is not yours to do: judge the work below by it.',
          ...details(task, context),
        ),
};

type Surroundings = Pick<PromptContext, 'parent' | 'origin' | 'source_notes'>;

/** What a board says begins no section of the prompt, either. */
function details(task: Task, { parent, origin, source_notes }: Surroundings): (string | null)[] {
  const isForeign = (provenance: Provenance): boolean => provenance === 'agent' || origin !== null;
  return [
    optional(task.description, (text) => taskText(text, isForeign(task.provenance))),
    parent === null
      ? null
      : under(
          '### Part of a larger task',
          `#${parent.id} ${taskTitle(parent)}`,
          optional(parent.description, (text) => taskText(text, isForeign(parent.provenance))),
        ),
    task.acceptance_criteria.length === 0
      ? null
      : `### It is done when\n\n${checkboxes(task.acceptance_criteria)}`,
    task.output_artifacts.length === 0
      ? null
      : `### Files to create or change\n\n${list(task.output_artifacts)}`,
    ...guidance(task, isForeign(task.provenance)),
    under('### Notes from the source', ...source_notes.map((text) => fence(text))),
  ];
}

/** A session wrote them if it proposed or enriched the task. */
const guidance = ({ hints, pseudocode, enriched_at }: Task, isForeign: boolean): (string | null)[] => {
  const write = (text: string): string => taskText(text, isForeign || enriched_at !== null);
  return [
    optional(hints, (text) => `### Hints\n\n${write(text)}`),
    optional(pseudocode, (text) => `### Plan\n\n${write(text)}`),
  ];
};

export const dependencyContext: Section = {
  name: 'dependency_context',
  question: 'What came before, and what can I build on?',
  source: 'depends_on: titles and summaries of finished tasks',
  render: ({ prerequisites }) =>
    prerequisites.length === 0
      ? null
      : under(
          '## Finished before this task',
          prerequisites
            .map(
              ({ id, status, summary, ...task }) =>
                `- #${id} ${taskTitle(task)} (${status})${summary === null ? '' : `: ${quoteOrders(summary)}`}`,
            )
            .join('\n'),
        ),
};
