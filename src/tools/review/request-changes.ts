import * as z from 'zod';
import { recordReview } from '../../queue/sessions/review.ts';
import { requireSession } from '../client-state.ts';
import { words } from '../fields.ts';
import { defineTool, SETS } from '../tool.ts';

export const requestChanges = defineTool({
  name: 'request_changes',
  title: 'Request changes',
  description:
    'The reviewed work must change before it may be merged; it goes back with your text. Not for remarks that need no change: use approve.',
  input: z.strictObject({
    changes: words.describe(
      'each change concrete enough to be made without your context, most important first',
    ),
  }),
  example: {
    changes:
      '1. src/auth.ts:41 compares tokens with ===; use timingSafeEqual. 2. No test for an expired token.',
  },
  hints: SETS,
  run: async ({ queue, client, call_id }, { changes }) => {
    const review = { approved: false, text: changes } as const;
    const isNew = await recordReview(queue, { session_id: requireSession(client), call_id, review });
    return { text: `Recorded${isNew ? '' : ' already'}. This session may end now.` };
  },
});
