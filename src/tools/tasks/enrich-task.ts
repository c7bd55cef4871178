import * as z from 'zod';
import { requireAgents } from '../../project/require-agents.ts';
import { enrich } from '../../queue/planning/enrich.ts';
import { id, taskDetails, title, withoutUndefined } from '../fields.ts';
import { defineTool, REPLACES } from '../tool.ts';

export const enrichTask = defineTool({
  name: 'enrich_task',
  title: 'Enrich a task',
  description:
    'Make a draft ready for a session that knows only what you write; read the code first. Queued then, unless keep_draft: wrong, done already, or unclear.',
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
  rare: [
    'title',
    'feature',
    'discipline',
    'kind',
    'priority',
    'output_artifacts',
    'hints',
    'estimated_turns',
    'agent',
    'model',
    'effort',
    'tags',
    'needs',
    'depends_on',
  ],
  run: async ({ queue, root }, { id: number, keep_draft, ...fields }) => {
    await requireAgents(root, [fields.agent]);
    const task = await enrich(queue, number, withoutUndefined(fields), { keep_draft });
    return {
      text: `Task ${task.id} is enriched and ${task.status === 'draft' ? 'stays a draft' : 'in the queue'}.`,
    };
  },
});
