import { Argument, Option } from 'commander';
import { sessionFailure, withAgent } from '../../../app/sessions/agent-session.ts';
import type { EventKind } from '../../../domain/event.ts';
import { Refusal } from '../../../domain/refusal.ts';
import { plural } from '../../../domain/text/text.ts';
import { changesSince, lastChangeId, type Queue } from '../../../queue/queue.ts';
import { defineCommand } from '../../command.ts';

const RECIPES = ['yap', 'ramble', 'discuss'] as const;

export const talk = defineCommand<[recipe: (typeof RECIPES)[number], topic: string[]], { model?: string }>({
  name: 'talk',
  summary: 'talk with Claude Code: note a quick thought, think aloud, or discuss one question',
  group: 'Plan',
  args: [
    new Argument('<recipe>', 'kind of talk').choices(RECIPES),
    new Argument('[topic...]', 'what it is about'),
  ],
  options: [new Option('--model <name>', 'use this model')],
  examples: ['ralph talk yap', 'ralph talk discuss "Order numbers: a sequence, or random?"'],
  run: (context, [recipe, words], { model }) => {
    if (context.terminal.ask === null || context.asJson)
      throw new Refusal('ralph talk needs a terminal; ralph braindump takes a text.');
    return withAgent(context, { agent: 'claude' }, async (session) => {
      const { queue } = session;
      const { holdTalk } = await import('../../../supervisor/sessions/talk.ts');
      const before = await lastChangeId(queue);
      const topic = words.join(' ').trim();
      const { end, ended } = await holdTalk(session, { recipe, topic, model: model ?? null });
      if (ended.kind === 'infrastructure')
        return sessionFailure(end, ended, { agent: 'claude', command: `ralph talk ${recipe}` });
      const made = await madeSince(queue, before);
      return { json: made, text: `While you talked: ${madeText(made)}.` };
    });
  },
});

type Made = { tasks: number; learnings: number };

async function madeSince(queue: Queue, id: number): Promise<Made> {
  const events = await changesSince(queue, id);
  const count = (kind: EventKind): number => events.filter((event) => event.kind === kind).length;
  return { tasks: count('task.added'), learnings: count('learning.added') };
}

const madeText = ({ tasks, learnings }: Made): string =>
  tasks + learnings === 0
    ? 'nothing was recorded'
    : `${plural(tasks, 'new task')}, ${plural(learnings, 'new learning')}`;
