import * as z from 'zod';
import { maskNotice } from '../../queue/mask-input.ts';
import { answer } from '../../queue/tasks/answer.ts';
import { id, words } from '../fields.ts';
import { defineTool, REPLACES } from '../tool.ts';

export const answerQuestion = defineTool({
  name: 'answer_question',
  title: 'Answer a question',
  description: "Store the person's answer to an open question (ralph://questions), never your guess.",
  input: z.strictObject({
    id,
    answer: words,
    replace: z.boolean().default(false),
  }),
  example: { id: 3, answer: 'Use UTC everywhere.' },
  hints: REPLACES,
  rare: ['replace'],
  run: async ({ queue, effects }, input) => {
    const verify = await effects.verifiesFeatures();
    const { task, replaced } = await answer(queue, input.id, input.answer, {
      replace: input.replace,
      verify,
    });
    const earlier = replaced === null ? '' : ' in place of an earlier answer';
    return {
      text: `Answered${earlier}. Task ${task.id} is ${task.status}.${maskNotice(queue, input.answer)}`,
    };
  },
});
