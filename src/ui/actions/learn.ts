import { z } from 'zod';
import { learn as keep } from '../../queue/learnings/learn.ts';
import { showLearning } from '../../queue/learnings/learnings.ts';
import { toldKept } from '../../text/learning-messages.ts';
import { defineAction } from '../action.ts';
import { learningKind, words } from '../fields.ts';

/** `feature`: null where it holds for the whole project. */
export const learn = defineAction({
  name: 'learn',
  input: z.strictObject({
    body: words,
    category: learningKind,
    reason: words.nullable(),
    feature: words.nullable(),
  }),
  run: async ({ queue }, said) => {
    const scope = said.feature === null ? 'project' : 'feature';
    const kept = await keep(queue, { ...said, scope, discipline: null });
    const { learning } = await showLearning(queue, kept.id);
    return { message: toldKept(kept, learning), id: kept.id };
  },
});
