import * as z from 'zod';
import { STATUSES, type Task } from '../../domain/tasks/task.ts';
import { line } from '../../domain/text/markdown.ts';
import { list } from '../../queue/tasks/list.ts';
import { id, name, text, withoutUndefined } from '../fields.ts';
import { defineTool, READS } from '../tool.ts';

const DEFAULT_LIMIT = 50;

export const listTasks = defineTool({
  name: 'list_tasks',
  title: 'List tasks',
  description: 'List tasks. All about one: ralph://tasks/NUMBER.',
  input: z.strictObject({
    status: z.enum(STATUSES).optional(),
    feature: name.optional(),
    tag: text.optional(),
    after: id.optional(),
    limit: z.int().min(1).max(200).default(DEFAULT_LIMIT),
  }),
  example: { status: 'failed' },
  hints: READS,
  rare: ['tag', 'after', 'limit'],
  run: async ({ queue }, { limit, ...filter }) => {
    const found = await list(queue, { ...withoutUndefined(filter), limit: limit + 1 });
    const shown = found.slice(0, limit);
    if (shown.length === 0) return { text: 'No task matches.' };
    const more = found.length > limit ? `\n\nThere are more: call again with after ${shown.at(-1)?.id}.` : '';
    return { text: `${shown.map(taskLine).join('\n')}${more}` };
  },
});

function taskLine({ id: number, status, priority, feature, title, open_blockers }: Task): string {
  const waits = status === 'pending' && open_blockers > 0 ? ', waiting' : '';
  return `#${number} ${line(title)} (${status}${waits}, ${priority}${feature === null ? '' : `, ${line(feature)}`})`;
}
