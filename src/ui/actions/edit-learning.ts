import { z } from 'zod';
import { editLearning as edit } from '../../queue/learnings/learnings.ts';
import { toldEdited } from '../../text/learning-messages.ts';
import { defineAction } from '../action.ts';
import { id, learningKind, words } from '../fields.ts';

const said = z.strictObject({ body: words, category: learningKind, reason: words.nullable() });

/** `seen`: what it said when whoever changes it began to. */
export const editLearning = defineAction({
  name: 'edit-learning',
  input: z.strictObject({ id, said, seen: said }),
  run: async ({ queue }, given) => ({
    message: toldEdited(await edit(queue, given.id, given.said, given.seen)),
  }),
});
