import { z } from 'zod';
import { answer as answerQuestion } from '../../queue/answer.ts';
import { defineAction } from '../action.ts';
import { id, words } from '../fields.ts';

export const answer = defineAction({
  name: 'answer',
  input: z.strictObject({ question: id, text: words }),
  run: async ({ queue }, { question, text }) => {
    const { task } = await answerQuestion(queue, question, text);
    return { message: `Answered Q${question}; #${task.id} ${task.title} is ${task.status}.` };
  },
});
