import { firstFailure } from '../../domain/sessions/gate-output.ts';
import { faultWords } from '../../domain/sessions/session.ts';
import type { Decision } from '../../domain/sessions/settle.ts';
import { flagText } from '../../domain/tasks/flag.ts';
import { triesText } from '../../domain/tasks/tries.ts';
import { duration, moneyIfKnown } from '../../domain/text/amounts.ts';
import type { SupervisorEvent } from '../../supervisor/input.ts';
import { type Look, row } from '../terminal/row.ts';
import { type Format, oneLine } from '../terminal/style.ts';
import { type RunState, refutingGate } from './run-state.ts';

type Finished = Extract<SupervisorEvent, { kind: 'finished' }>;

/** Width of the facts after the title, with their gaps. */
const FACTS_COLUMNS = 45;
const [NARROW, USUAL, WIDE] = [16, 35, 60];

export function finishedLines(event: Finished, { tallies }: RunState, look: Look): string[] {
  const { id, title } = event.claim.task;
  const { status } = event.decision;
  const tally = tallies.get(id) ?? { tries: 0, duration_ms: 0, cost_usd: 0 };
  const room = look.columns === Number.POSITIVE_INFINITY ? USUAL : look.columns - FACTS_COLUMNS;
  const head = row(
    {
      head: {
        text: `${SYMBOLS[status]} #${id} ${oneLine(title)}`,
        format: COLORS[status],
        size: Math.min(WIDE, Math.max(NARROW, room)),
      },
      facts: [
        { text: triesText(tally.tries), size: 7, rank: 3 },
        { text: duration(tally.duration_ms), size: 6, align: 'right', rank: 2 },
        { text: moneyIfKnown(tally.cost_usd), size: 6, align: 'right', rank: 1 },
        { text: result(event), size: 20 },
      ],
    },
    look,
  );
  const { text, command } = reason(event);
  if (text === null) return [head];
  const second = { head: { text: `     ${oneLine(text)}`, format: 'dim' as const }, end: { text: command } };
  return [head, row(second, look)];
}

/** The text of the last column. */
function result({ decision: { status, outcome }, gates, commit, questions, flags }: Finished): string {
  if (status === 'done') {
    const passed = gates.filter((gate) => gate.passed).length;
    const proof = gates.length === 0 ? 'done, no gates' : `gates ${passed}/${gates.length}`;
    return commit === null ? proof : `${proof.padEnd(10)} ${commit.slice(0, 7)}`;
  }
  if (status === 'needs_input')
    return questions.length > 0
      ? `asked ${questions.map(({ id }) => `Q${id}`).join(' ')}`
      : `flagged ${flags.map(({ id }) => `F${id}`).join(' ')}`;
  if (outcome === 'proposed')
    return `gates ${gates.filter((gate) => gate.passed).length}/${gates.length}, to be merged`;
  if (status === 'blocked') return 'blocked';
  const why = outcome === 'gate_failed' ? `gate ${refutingGate(gates)?.name}` : OUTCOME_WORDS[outcome];
  return status === 'failed' ? `failed: ${oneLine(why)}` : `again: ${oneLine(why)}`;
}

/** The most useful fact about a task that is not done, and the command to continue with. */
function reason(event: Finished): { text: string | null; command: string } {
  const { claim, decision, gates, questions, flags } = event;
  const show = `ralph show ${claim.task.id}`;
  const [[question], [flag]] = [questions, flags];
  if (decision.status === 'done') return { text: decision.comment?.body ?? null, command: show };
  if (decision.status === 'needs_input' && question !== undefined)
    return { text: question.question, command: `ralph answer ${question.id} "..."` };
  if (decision.status === 'needs_input' && flag !== undefined)
    return { text: flagText(flag), command: `ralph flag close ${flag.id}` };
  // The next line tells of its pull request.
  if (decision.outcome === 'proposed') return { text: null, command: show };
  if (decision.status === 'blocked' && decision.blocked_by !== null)
    return { text: decision.blocked_by, command: `ralph why ${claim.task.id}` };
  if (decision.outcome === 'interrupted')
    return { text: `at no cost to the task (${whatHappened(event)})`, command: show };
  const gate = refutingGate(gates);
  if (decision.outcome === 'gate_failed' && gate !== null) return { text: firstFailure(gate), command: show };
  if (decision.comment === null) return { text: null, command: show };
  const { body } = decision.comment;
  // Of a conflict the last line tells the agent what to do, and the first one what happened.
  return {
    text: decision.outcome === 'conflict' ? (body.split('\n')[0] ?? '') : lastLine(body),
    command: show,
  };
}

function whatHappened({ decision: { hindrance }, end: { fault, detail } }: Finished): string {
  if (hindrance?.kind === 'machine_failed') return lastLine(hindrance.reason);
  const words = faultWords(fault ?? 'supervisor_killed');
  if (detail === null) return words;
  return detail.toLowerCase().startsWith(words) ? detail : `${words}: ${detail}`;
}

const SYMBOLS: Record<Decision['status'], string> = {
  done: '✓',
  pending: '↻',
  needs_input: '?',
  blocked: '■',
  failed: '✗',
};

const COLORS: Record<Decision['status'], Format> = {
  done: 'green',
  pending: 'yellow',
  needs_input: 'yellow',
  blocked: 'yellow',
  failed: 'red',
};

const OUTCOME_WORDS: Record<Decision['outcome'] | 'conflict', string> = {
  done: 'done',
  gate_failed: 'gate failed',
  rules_bent: 'rules bent',
  no_change: 'no change',
  needs_approval: 'no change to approve',
  changes_requested: 'review',
  conflict: 'conflict',
  proposed: 'to be merged',
  partial: 'partly done',
  stuck: 'stuck',
  interrupted: 'interrupted',
};

/** A comment ends with what remains to do. */
const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';
