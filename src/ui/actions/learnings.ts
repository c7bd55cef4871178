import { z } from 'zod';
import { learn as keep } from '../../queue/learnings/learn.ts';
import {
  archiveLearning as archive,
  editLearning as edit,
  removeLearning as remove,
  restoreLearning as restore,
  showLearning,
} from '../../queue/learnings/learnings.ts';
import {
  archivedMessage,
  editedMessage,
  learnedMessage,
  removedMessage,
  restoredMessage,
} from '../../text/learning-text.ts';
import { defineAction } from '../action.ts';
import { id, learningKind, text } from '../fields.ts';

/** `feature`: null where it holds for the whole project. */
export const learn = defineAction({
  name: 'learn',
  input: z.strictObject({
    body: text,
    category: learningKind,
    reason: text.nullable(),
    feature: text.nullable(),
  }),
  run: async ({ queue }, said) => {
    const scope = said.feature === null ? 'project' : 'feature';
    const kept = await keep(queue, { ...said, scope, discipline: null });
    const { learning } = await showLearning(queue, kept.id);
    return { message: learnedMessage(kept, learning), id: kept.id };
  },
});

export const archiveLearning = defineAction({
  name: 'archive-learning',
  input: z.strictObject({ id }),
  run: async ({ queue }, given) => ({ message: archivedMessage(await archive(queue, given.id)) }),
});

export const restoreLearning = defineAction({
  name: 'restore-learning',
  input: z.strictObject({ id }),
  run: async ({ queue }, given) => ({ message: restoredMessage(await restore(queue, given.id)) }),
});

export const removeLearning = defineAction({
  name: 'remove-learning',
  input: z.strictObject({ id }),
  run: async ({ queue }, given) => ({ message: removedMessage(await remove(queue, given.id)) }),
});

const learningText = z.strictObject({ body: text, category: learningKind, reason: text.nullable() });

/** `seen`: what it said when whoever changes it began to. */
export const editLearning = defineAction({
  name: 'edit-learning',
  input: z.strictObject({ id, change: learningText, seen: learningText }),
  run: async ({ queue }, given) => ({
    message: editedMessage(await edit(queue, given.id, given.change, given.seen)),
  }),
});
