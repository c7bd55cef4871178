import * as z from 'zod';
import { recordReview } from '../../queue/sessions/review.ts';
import { requireSession } from '../client-state.ts';
import { defineTool, SETS } from '../tool.ts';

export const approve = defineTool({
  name: 'approve',
  title: 'Approve the work',
  description:
    'The reviewed work may be merged as it is: each criterion is met, and remarks that need no change do not stand in the way. Not if anything must change: use request_changes.',
  input: z.strictObject({}),
  example: {},
  hints: SETS,
  run: async ({ queue, client, call_id }) => {
    const isNew = await recordReview(queue, {
      session_id: requireSession(client),
      call_id,
      review: { approved: true },
    });
    return { text: `Recorded${isNew ? '' : ' already'}. This session may end now.` };
  },
});
