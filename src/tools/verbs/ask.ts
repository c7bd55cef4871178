import * as z from 'zod';
import { Refusal } from '../../domain/refusal.ts';
import type { SignalOf } from '../../domain/sessions/signal.ts';
import { textProblem } from '../../domain/text/text.ts';
import { record } from '../../queue/sessions/record.ts';
import { answer } from '../../queue/tasks/answer.ts';
import { show } from '../../queue/tasks/show.ts';
import { type HeldTask, requireSession } from '../client-state.ts';
import { withoutUndefined, words } from '../fields.ts';
import { ADDS, type Answer, defineTool, type ToolContext } from '../tool.ts';
import { acknowledgement, nextStep } from './say.ts';

export const ask = defineTool({
  name: 'ask',
  title: 'Ask a person',
  description:
    'Ask what only a person can decide, not what code, documents or a sensible default answer. Blocking: call partial next. Otherwise go on with your assumption.',
  input: z.strictObject({
    question: words.describe('Answerable without your context'),
    blocking: z.boolean(),
    options: z.array(words).optional(),
    preferred: words.optional(),
  }),
  example: {
    question: 'Count failed logins by account or by address?',
    blocking: true,
    options: ['account', 'address'],
    preferred: 'account',
  },
  hints: ADDS,
  run: async (context, { question, blocking, ...rest }) => {
    const signal: SignalOf<'ask'> = { verb: 'ask', question, blocking, ...withoutUndefined(rest) };
    const { person, client } = context;
    // Ralph asks a person only for a client that holds a task, so any other reply is ignored.
    return person.reply === null || client.held_task === null
      ? put(context, signal)
      : keepAnswer(context, client.held_task, signal, person.reply);
  },
});

/** The question is on disk before the person is asked: a client that dies during the dialog loses nothing. */
async function put(context: ToolContext, signal: SignalOf<'ask'>): Promise<Answer> {
  const { queue, client, call_id, person } = context;
  const recorded = await record(queue, { session_id: requireSession(client), call_id, signal });
  if (client.held_task === null || !person.canAnswer || recorded.question_id === null)
    return { text: `${acknowledgement(recorded)} ${nextStep(signal)}` };
  const { question, options = [], preferred = null } = signal;
  return { ask: { message: question, options, preferred, state: String(recorded.question_id) } };
}

async function keepAnswer(
  { queue }: ToolContext,
  { task_id }: HeldTask,
  signal: SignalOf<'ask'>,
  { state, text }: { state: string; text: string | null },
): Promise<Answer> {
  const id = /^\d{1,12}$/.test(state) ? Number(state) : 0;
  const { questions } = await show(queue, task_id);
  const question = questions.find((one) => one.id === id);
  if (question === undefined)
    throw new Refusal('That answer belongs to no question of the task you hold; nothing was changed.');
  if (text === null || text.trim() === '')
    return {
      text: `Recorded as question ${id}; the person did not answer it now. ${nextStep(signal)}`,
    };
  const problem = textProblem(text);
  if (problem !== null)
    return { text: `Recorded as question ${id}, but the answer ${problem}. ${nextStep(signal)}` };
  // The person may have answered elsewhere while the dialog was open: the first answer stands.
  if (question.answer !== null)
    return { text: `Recorded. It was answered meanwhile: ${question.answer}\n\nGo on with that.` };
  const stored = await answer(queue, id, text, { seen: null });
  return { text: `Recorded. The person answers: ${stored.question.answer}\n\nGo on with that.` };
}
