import * as z from 'zod';
import { enrich } from '../queue/enrich.ts';
import { given, id, taskDetails, title } from './fields.ts';
import { defineTool, REPLACES } from './tool.ts';

export const enrichTask = defineTool({
  name: 'enrich_task',
  title: 'Enrich a task',
  description:
    'Make a draft ready to be done by a session that knows nothing but what you write, after you have read the code; it enters the queue then. keep_draft true leaves it a draft: if it is wrong, done already, or unclear. Not for small changes: use update_task.',
  input: z.strictObject({
    id,
    title: title.optional(),
    ...taskDetails,
    depends_on: z.array(id).optional(),
    keep_draft: z.boolean().default(false),
  }),
  example: {
    id: 7,
    pseudocode: '1. In src/auth.ts add limit() before verify(). 2. Answer 429 with Retry-After.',
    acceptance_criteria: ['The sixth attempt within a minute is answered with 429'],
    context_files: ['src/auth.ts'],
    estimated_turns: 12,
  },
  hints: REPLACES,
  run: async ({ queue }, { id: number, keep_draft, ...fields }) => {
    const task = await enrich(queue, number, given(fields), { keep_draft });
    return {
      text: `Task ${task.id} is enriched and ${task.status === 'draft' ? 'stays a draft' : 'in the queue'}.`,
    };
  },
});
