import type { Question } from '../domain/tasks/task.ts';
import { quotedSpan, under } from '../domain/text/markdown.ts';
import { status } from '../queue/tasks/status.ts';
import type { ResourceFamily } from './resource.ts';

const MAX_SHOWN = 200;

export const questions: ResourceFamily = {
  name: 'questions',
  title: 'Open questions',
  description: 'Questions of sessions that no person has answered or dismissed, those of done tasks, too',
  uri: 'ralph://questions',
  read: async ({ queue }) => {
    const open = (await status(queue)).questions;
    const lines = open.slice(0, MAX_SHOWN).map(questionLine);
    return {
      text: `${under('# Open questions', open.length === 0 ? 'There are none.' : lines.join('\n'))}\n`,
    };
  },
  isChangedBy: ({ kind }) =>
    kind.startsWith('question.') || kind === 'task.status' || kind === 'task.removed',
};

export function questionLine({ id, task_id, question, blocking, options, preferred }: Question): string {
  const choices = options.map((one) =>
    one === preferred ? `${quotedSpan(one)} (preferred)` : quotedSpan(one),
  );
  return [
    `- Question ${id} of task #${task_id}${blocking ? ', which waits for it' : ''}: ${quotedSpan(question)}`,
    ...(choices.length === 0 ? [] : [`  Options: ${choices.join(', ')}`]),
  ].join('\n');
}
