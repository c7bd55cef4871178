import type { CommandContext } from '../../app/world.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { Question } from '../../domain/tasks/task.ts';
import { oneLine } from '../../text/terminal/style.ts';
import { Misuse } from '../command.ts';

/** Asks the person at the terminal, who picks an option by its number or writes an own answer. */
export async function askAnswer(
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
