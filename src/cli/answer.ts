import { Argument } from 'commander';
import { answer as answerQuestion } from '../queue/answer.ts';
import { publicTask } from '../queue/list.ts';
import { defineCommand } from './command.ts';
import { parseId } from './parse.ts';
import { withProject } from './project.ts';
import { requirePerson } from './require-person.ts';
import { oneLine } from './style.ts';

const questionId = (word: string): number => parseId(word.replace(/^q/i, ''));

export const answer = defineCommand<[question: number, text: string]>({
  name: 'answer',
  summary: "answer an agent's question",
  group: 'Decide',
  args: [
    new Argument('<question>', 'number of the question').argParser(questionId),
    new Argument('<text>', 'what the agent should know'),
  ],
  examples: ['ralph answer 3 "use UTC"'],
  run: (context, [id, text]) =>
    withProject(context, async ({ queue }) => {
      requirePerson(context, 'answers a question');
      const { question, replaced, task } = await answerQuestion(queue, id, text);
      const was = replaced === null ? '' : ` It replaces: ${oneLine(replaced)}`;
      return {
        json: { question, task: publicTask(task) },
        text: `Answered Q${id}; #${task.id} ${oneLine(task.title)} is ${task.status}.${was}`,
      };
    }),
});
