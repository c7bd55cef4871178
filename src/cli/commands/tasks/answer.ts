import { Argument, Option } from 'commander';
import { requirePerson } from '../../../app/definitions/consent.ts';
import { withProject } from '../../../app/open-project.ts';
import type { CommandContext } from '../../../app/world.ts';
import { Refusal } from '../../../domain/refusal.ts';
import { stateName } from '../../../domain/tasks/status.ts';
import type { Question } from '../../../domain/tasks/task.ts';
import { readConfig } from '../../../project/read-config.ts';
import { maskNotice } from '../../../queue/mask-input.ts';
import {
  answer as answerQuestion,
  dismiss as dismissQuestion,
  questionToAnswer,
} from '../../../queue/tasks/answer.ts';
import { publicTask } from '../../../queue/tasks/list.ts';
import { oneLine } from '../../../text/terminal/style.ts';
import { defineCommand, Misuse } from '../../command.ts';
import { parseId } from '../../parse.ts';

const questionId = (word: string): number => parseId(word.replace(/^q/i, ''));

export const answer = defineCommand<
  [question: number, words: string[]],
  { replace?: boolean; dismiss?: boolean }
>({
  name: 'answer',
  summary: "answer an agent's question",
  group: 'Decide',
  args: [
    new Argument('<question>', 'number of the question').argParser(questionId),
    new Argument('[text...]', 'what the agent should know; without it, Ralph asks on a terminal'),
  ],
  options: [
    new Option('--replace', 'replace an earlier answer'),
    new Option('--dismiss', 'close a question without an answer, if no task waits for it'),
  ],
  examples: [
    'ralph answer 3 "use UTC"',
    'ralph answer 3',
    'ralph answer 3 "use CET" --replace',
    'ralph answer 3 --dismiss',
  ],
  run: (context, [id, words], chosen) =>
    withProject(context, async (project) => {
      const { queue, root } = project;
      await requirePerson(context, project, 'answers a question');
      const { dismiss = false, ...options } = chosen;
      if (dismiss) {
        if (words.length > 0) throw new Misuse('Give an answer or --dismiss, not both.');
        return { json: { question: await dismissQuestion(queue, id) }, text: `Dismissed Q${id}.` };
      }
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

/** Asks the person at the terminal, who chooses an option by its number or writes an own answer. */
async function askAnswer(
  { terminal: { ask } }: Pick<CommandContext, 'terminal'>,
  { id, task_id, question, options, preferred }: Question,
): Promise<string> {
  if (ask === null) throw new Misuse(`Give the answer: ralph answer ${id} "..."`);
  const choices = options.map(
    (option, index) => `  ${index + 1}  ${oneLine(option)}${option === preferred ? ' (preferred)' : ''}\n`,
  );
  const how = choices.length === 0 ? 'Your answer: ' : 'Your answer, in words or by its number: ';
  const text = (await ask(`Q${id} of #${task_id}: ${oneLine(question)}\n${choices.join('')}${how}`)).trim();
  if (text === '') throw new Refusal('Nothing was answered.');
  return (/^\d+$/.test(text) ? options[Number(text) - 1] : undefined) ?? text;
}
