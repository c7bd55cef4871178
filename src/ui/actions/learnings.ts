import { z } from 'zod';
import { learn as storeLearning } from '../../queue/learnings/learn.ts';
import {
  approveLearning as approve,
  archiveLearning as archive,
  editLearning as edit,
  removeLearning as remove,
  restoreLearning as restore,
  showLearning,
} from '../../queue/learnings/learnings.ts';
import {
  approvedMessage,
  archivedMessage,
  editedMessage,
  learnedMessage,
  removedMessage,
  restoredMessage,
} from '../../text/learning-text.ts';
import { defineAction } from '../action.ts';
import { id, learningKind, text } from '../fields.ts';

const learningText = z.strictObject({ body: text, category: learningKind, reason: text.nullable() });

/** `feature`: null where the learning holds for the whole project. */
export const learn = defineAction({
  name: 'learn',
  input: learningText.extend({ feature: text.nullable() }),
  run: async ({ queue }, input) => {
    const scope = input.feature === null ? 'project' : 'feature';
    const result = await storeLearning(queue, { ...input, scope, discipline: null, author: 'person' });
    const { learning } = await showLearning(queue, result.id);
    return { message: learnedMessage(result, learning), id: result.id };
  },
});

export const approveLearning = defineAction({
  name: 'approve-learning',
  input: z.strictObject({ id }),
  run: async ({ queue }, input) => ({ message: approvedMessage(await approve(queue, input.id)) }),
});

export const archiveLearning = defineAction({
  name: 'archive-learning',
  input: z.strictObject({ id }),
  run: async ({ queue }, input) => ({ message: archivedMessage(await archive(queue, input.id)) }),
});

export const restoreLearning = defineAction({
  name: 'restore-learning',
  input: z.strictObject({ id }),
  run: async ({ queue }, input) => ({ message: restoredMessage(await restore(queue, input.id)) }),
});

export const removeLearning = defineAction({
  name: 'remove-learning',
  input: z.strictObject({ id }),
  run: async ({ queue }, input) => ({ message: removedMessage(await remove(queue, input.id)) }),
});

/** `seen`: what the learning said when the person began to change it. */
export const editLearning = defineAction({
  name: 'edit-learning',
  input: z.strictObject({ id, change: learningText, seen: learningText }),
  run: async ({ queue }, { id: learning, change, seen }) => ({
    message: editedMessage(await edit(queue, learning, change, seen)),
  }),
});
