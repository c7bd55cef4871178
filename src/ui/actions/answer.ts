import { z } from 'zod';
import { stateName } from '../../domain/tasks/status.ts';
import { truncate } from '../../domain/text/text.ts';
import { maskNotice } from '../../queue/mask-input.ts';
import { answer as answerQuestion, dismiss as dismissQuestion } from '../../queue/tasks/answer.ts';
import { defineAction } from '../action.ts';
import { id, text } from '../fields.ts';

/** Enough to recognise the old answer; the page has shown all of it. */
const MAX_REPLACED = 200;

export const dismiss = defineAction({
  name: 'dismiss',
  input: z.strictObject({ question: id }),
  run: async ({ queue }, { question }) => {
    await dismissQuestion(queue, question);
    return { message: `Dismissed Q${question}.` };
  },
});

export const answer = defineAction({
  name: 'answer',
  input: z.strictObject({ question: id, text, seen: text.nullable().optional() }),
  run: async ({ queue, config }, { question, text: words, seen }) => {
    const { verify_feature: verify } = await config();
    const { task, replaced } = await answerQuestion(queue, question, words, { seen, verify });
    const was = replaced === null ? '' : ` It replaces: ${truncate(replaced, MAX_REPLACED)}`;
    return {
      message: `Answered Q${question}; #${task.id} ${task.title} is ${stateName(task.status)}.${was}${maskNotice(queue, words)}`,
    };
  },
});
