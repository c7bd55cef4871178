import { z } from 'zod';
import { answer as answerQuestion } from '../../queue/answer.ts';
import { defineAction } from '../action.ts';
import { id, words } from '../fields.ts';

export const answer = defineAction({
  name: 'answer',
  input: z.strictObject({ question: id, text: words, seen: words.nullable().optional() }),
  run: async ({ queue }, { question, text, seen }) => {
    const { task, replaced } = await answerQuestion(queue, question, text, seen);
    const was = replaced === null ? '' : ` It replaces: ${replaced}`;
    return { message: `Answered Q${question}; #${task.id} ${task.title} is ${task.status}.${was}` };
  },
});
