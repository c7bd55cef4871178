import { LEFT_BEHIND } from '../domain/sessions/session-state.ts';
import type { Signal } from '../domain/sessions/signal.ts';
import { tryText } from '../domain/tasks/tries.ts';
import { fence, list, quotedSpan, under } from '../domain/text/markdown.ts';
import { showSession } from '../queue/sessions/sessions.ts';
import type { ResourceFamily } from './resource.ts';
import { requireSessionId } from './resource.ts';

export const session: ResourceFamily = {
  name: 'session',
  title: 'Session',
  description: 'One agent process on one task: what it said, which gates ran, how it ended',
  uri: 'ralph://sessions/{id}',
  read: async ({ queue, isAlive }, variables) => {
    const {
      session: one,
      run,
      title,
      signals,
      gates,
    } = await showSession(queue, requireSessionId(variables));
    const { model, turns, cost_usd } = one.usage;
    return {
      text: `${under(
        `# Session ${one.id}`,
        list([
          `task: #${one.task_id} ${title}, ${tryText(one)}`,
          `started: ${new Date(one.started).toISOString()}`,
          `ended: ${one.ended === null ? (isAlive(run) ? 'not yet' : LEFT_BEHIND) : `${new Date(one.ended).toISOString()}, ${one.outcome}`}`,
          `model: ${model ?? 'not known'}, ${turns} turns, $${cost_usd.toFixed(2)}`,
        ]),
        signals.length === 0
          ? 'It said nothing.'
          : `## What it said\n\n${signals.map(signalLine).join('\n')}`,
        gates.length === 0
          ? null
          : `## Gates\n\n${list(gates.map(({ name, passed }) => `${name}: ${passed ? 'passed' : 'failed'}`))}`,
        ...gates.filter(({ passed }) => !passed).map(({ tail }) => (tail === '' ? null : fence(tail))),
      )}\n`,
    };
  },
  isChangedBy: ({ session_id }, { id }) => session_id === id,
};

function signalLine({ verb, ...fields }: Signal): string {
  const facts = Object.entries(fields).map(([name, value]) => `${name}: ${quotedSpan(String(value))}`);
  return `- **${verb}** ${facts.join('; ')}`;
}
