import { Argument, Option } from 'commander';
import { withProject } from '../../app/open-project.ts';
import { requirePerson } from '../../app/world.ts';
import { stateName } from '../../domain/tasks/status-word.ts';
import { readConfig } from '../../project/read-config.ts';
import { maskNotice } from '../../queue/mask-input.ts';
import { answer as answerQuestion, questionToAnswer } from '../../queue/tasks/answer.ts';
import { publicTask } from '../../queue/tasks/list.ts';
import { oneLine } from '../../text/terminal/style.ts';
import { defineCommand } from '../command.ts';
import { askAnswer } from '../decide/ask-answer.ts';
import { parseId } from '../parse.ts';

const questionId = (word: string): number => parseId(word.replace(/^q/i, ''));

export const answer = defineCommand<[question: number, words: string[]], { replace?: boolean }>({
  name: 'answer',
  summary: "answer an agent's question",
  group: 'Decide',
  args: [
    new Argument('<question>', 'number of the question').argParser(questionId),
    new Argument('[text...]', 'what the agent should know; without it, Ralph asks on a terminal'),
  ],
  options: [new Option('--replace', 'replace an earlier answer')],
  examples: ['ralph answer 3 "use UTC"', 'ralph answer 3', 'ralph answer 3 "use CET" --replace'],
  run: (context, [id, words], options) =>
    withProject(context, async ({ queue, root }) => {
      requirePerson(context, 'answers a question');
      const text =
        words.length > 0
          ? words.join(' ')
          : await askAnswer(context, await questionToAnswer(queue, id, options));
      const { question, replaced, task } = await answerQuestion(queue, id, text, {
        ...options,
        verify: (await readConfig(root)).verify_feature,
      });
      const was = replaced === null ? '' : ` It replaces: ${oneLine(replaced)}`;
      return {
        json: { question, task: publicTask(task) },
        text: `Answered Q${id}; #${task.id} ${oneLine(task.title)} is ${stateName(task.status)}.${was}${maskNotice(queue, text)}`,
      };
    }),
});
