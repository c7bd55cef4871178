import * as z from 'zod';
import { LEARNING_KINDS } from '../../domain/sessions/signal.ts';
import { learn } from '../../queue/learnings/learn.ts';
import { name, words } from '../fields.ts';
import { defineTool, SETS } from '../tool.ts';

export const appendLearning = defineTool({
  name: 'append_learning',
  title: 'Add a learning',
  description: 'Keep one lasting fact when you hold no task; else use learned.',
  input: z.strictObject({
    text: words,
    kind: z.enum(LEARNING_KINDS),
    rationale: words.optional(),
    feature: name.optional(),
  }),
  example: { text: 'All times are stored in UTC.', kind: 'convention', feature: 'billing' },
  hints: SETS,
  rare: ['rationale'],
  run: async ({ queue }, { text, kind, rationale = null, feature = null }) => {
    const scope = feature === null ? 'project' : 'feature';
    const result = await learn(queue, {
      feature,
      scope,
      category: kind,
      body: text,
      reason: rationale,
      discipline: null,
      author: 'agent',
    });
    if (result.as === 'confirmation') return { text: 'This was known already, and is confirmed now.' };
    return {
      text:
        result.conflicts_with === null
          ? 'Kept.'
          : `Kept. It contradicts learning ${result.conflicts_with}; tell the person, who may remove one of them.`,
    };
  },
});
