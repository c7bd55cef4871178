import * as z from 'zod';
import { answer } from '../queue/answer.ts';
import { maskedNote } from '../queue/masked-note.ts';
import { id, words } from './fields.ts';
import { defineTool, REPLACES } from './tool.ts';

export const answerQuestion = defineTool({
  name: 'answer_question',
  title: 'Answer a question',
  description:
    'Store the answer of a person to a question that a session asked; the parked task goes on with it. Only with what the person said, never with a guess of yours. ralph://questions lists what is open.',
  input: z.strictObject({
    id: id.describe('number of the question'),
    answer: words,
    replace: z.boolean().default(false).describe('whether it takes the place of an earlier answer'),
  }),
  example: { id: 3, answer: 'Use UTC everywhere.' },
  hints: REPLACES,
  run: async ({ queue }, input) => {
    const { task, replaced } = await answer(queue, input.id, input.answer, { replace: input.replace });
    const earlier = replaced === null ? '' : ' in place of an earlier answer';
    return {
      text: `Answered${earlier}. Task ${task.id} is ${task.status}.${maskedNote(queue, input.answer)}`,
    };
  },
});
