import type { Attempt, PromptContext } from '../../domain/context.ts';
import { type Flag, flagText } from '../../domain/tasks/flag.ts';
import type { Question, TaskComment } from '../../domain/tasks/task.ts';
import { fence, line, optional, quote, quotedSpan, under } from '../../domain/text/markdown.ts';
import { changesText } from '../changes.ts';
import { quoteOrders } from '../quoted.ts';
import type { Section } from '../recipe.ts';

export const previousAttempts: Section = {
  name: 'previous_attempts',
  question: 'What went wrong last time, and what has been answered since?',
  source: 'sessions, gate failures, comments, questions, flags, changed files',
  render: (context) =>
    under(
      '## Previous tries (do not repeat what failed)',
      attempts(context.attempts),
      comments(context.comments),
      answers(context.questions),
      context.blocking_flags.length === 0
        ? null
        : `### Flagged as blocking\n\n${context.blocking_flags.map(flagItem).join('\n')}`,
      optional(changesText(context), (text) => `### What the last try left changed\n\n${text}`),
    ),
};

const flagItem = (flag: Flag): string =>
  `- ${quoteOrders(flagText(flag))}${flag.note === null ? '' : `\n  **A person closed this: ${line(flag.note)}**`}`;

const OUTCOMES: Record<Attempt['outcome'], string> = {
  done: 'said done',
  gate_failed: 'said done, but a gate failed',
  rules_bent: 'said done, but had changed what it is judged by',
  no_change: 'said done, but had changed no file',
  needs_approval: 'said done, and that no file had to change',
  changes_requested: 'said done, but the review requested changes',
  conflict: 'said done, but its work did not fit what others landed meanwhile',
  proposed: 'said done, and its pull request was not merged',
  partial: 'got part of it done',
  stuck: 'got stuck',
  interrupted: 'was interrupted from outside',
};

function attempts(all: PromptContext['attempts']): string | null {
  if (all.length === 0) return null;
  const failures = all.at(-1)?.failures ?? [];
  return [
    all.map(attemptLine).join('\n'),
    ...failures.map(
      ({ name, command, tail }) =>
        `The gate \`${line(name)}\` (\`${line(command)}\`) failed with:\n\n${fence(tail)}`,
    ),
  ].join('\n\n');
}

const attemptLine = ({ number, outcome }: Attempt): string =>
  `- ${outcome === 'interrupted' ? 'A session' : `Try ${number}`} ${OUTCOMES[outcome]}.`;

function comments(all: readonly TaskComment[]): string | null {
  if (all.length === 0) return null;
  return `### What was said\n\n${all.map(comment).join('\n\n')}`;
}

/** Only a person's words are addressed to the reader. Ralph's own quote agents and gates. */
const comment = ({ author, body }: TaskComment): string =>
  `${AUTHORS[author]}:\n\n${author === 'human' ? quote(body) : fence(body)}`;

const AUTHORS: Record<TaskComment['author'], string> = {
  agent: 'An earlier session',
  human: 'A person tells you',
  system: 'Ralph',
};

function answers(questions: readonly Question[]): string | null {
  const answered = questions.filter(({ answer }) => answer !== null);
  if (answered.length === 0) return null;
  return `### Questions that were answered\n\n${answered.map(({ question, answer }) => `- ${quotedSpan(question)}\n  **${line(answer ?? '')}**`).join('\n')}`;
}
