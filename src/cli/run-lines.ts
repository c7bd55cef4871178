// What a run says while it goes on: one line for what begins, one for what ended. Plain, so that a log can hold it.
import type { Decision } from '../domain/settle.ts';
import { plural, visible } from '../domain/text.ts';
import type { Stop } from '../supervisor/stop.ts';
import type { SupervisorEvent } from '../supervisor/supervisor.ts';
import type { CommandContext } from './command.ts';
import { oneLine, paint, timeOf } from './style.ts';

export type RunLines = { tell(event: SupervisorEvent): void; summary(stop: Stop): string };

export function runLines({ pipes, asJson, terminal }: CommandContext): RunLines {
  const total = { done: 0, sessions: 0, cost_usd: 0 };
  const print = (text: string): void => pipes.print(`${text}\n`);
  return {
    tell: (event) => {
      if (event.kind === 'finished') {
        total.sessions += 1;
        total.cost_usd += event.end.usage.cost_usd;
        if (event.decision.status === 'done') total.done += 1;
      }
      if (asJson) print(JSON.stringify(event));
      else for (const line of linesOf(event)) print(paint(line.text, line.format, terminal.color));
    },
    summary: ({ sentence }) =>
      `${plural(total.sessions, 'session')}, ${total.done} done, $${total.cost_usd.toFixed(2)}. ${visible(sentence)}`,
  };
}

type Line = { text: string; format: 'green' | 'red' | 'yellow' | 'dim' };

function linesOf(event: SupervisorEvent): Line[] {
  switch (event.kind) {
    case 'recovered': {
      const { session, decision } = event.recovered;
      return [
        {
          text: `↺ #${session.task_id} of a run that died is ${decision.status} (${decision.outcome})`,
          format: 'dim',
        },
      ];
    }
    case 'started': {
      const { task } = event.claim;
      return [
        {
          text: `▶ #${task.id} ${oneLine(task.title)}  try ${task.token}  ${visible(event.model)}`,
          format: 'dim',
        },
      ];
    }
    case 'set_aside':
      return [
        {
          text: `  the unfinished work of #${event.task_id} was set aside (refs/ralph/task-${event.task_id})`,
          format: 'dim',
        },
      ];
    case 'refused':
      return [{ text: `! ${oneLine(event.reason)} What was there before stays.`, format: 'yellow' }];
    case 'red_before':
      return event.gates.map(({ name }) => ({
        text: `! gate ${oneLine(name)} failed before #${event.claim.task.id} began   ralph show ${event.claim.task.id}`,
        format: 'yellow',
      }));
    case 'not_believed':
      return [{ text: `  not believed: ${oneLine(event.why)}`, format: 'yellow' }];
    case 'put_back':
      return [
        {
          text: `! #${event.claim.task.id} removed ${event.files.map(oneLine).join(', ')}; put back`,
          format: 'yellow',
        },
      ];
    case 'rules_changed':
      return [
        {
          text: `! .ralph/config.yaml changed while #${event.claim.task.id} ran; this run goes by what it was`,
          format: 'yellow',
        },
      ];
    case 'reviewing':
      return [{ text: `  review of #${event.task_id}  ${visible(event.model)}`, format: 'dim' }];
    case 'waiting':
      return [{ text: `⏸ waiting until ${timeOf(event.until)}`, format: 'yellow' }];
    case 'observed':
    case 'checking':
      return [];
    case 'finished': {
      const { claim, decision, end, duration_ms } = event;
      const facts = [
        duration(duration_ms),
        `$${end.usage.cost_usd.toFixed(2)}`,
        plural(end.usage.turns, 'turn'),
      ];
      const head = `${SYMBOLS[decision.status]} #${claim.task.id} ${oneLine(claim.task.title)}  ${OUTCOMES[decision.outcome]}`;
      return [
        { text: `${head}  ${facts.join('  ')}`, format: COLORS[decision.status] },
        ...(decision.comment === null || decision.status === 'done'
          ? []
          : [
              {
                text: `     ${oneLine(lastLine(decision.comment.body))}   ralph show ${claim.task.id}`,
                format: 'dim' as const,
              },
            ]),
      ];
    }
  }
}

const SYMBOLS: Record<Decision['status'], string> = {
  done: '✓',
  pending: '↻',
  needs_input: '?',
  blocked: '■',
  failed: '✗',
};

const COLORS: Record<Decision['status'], Line['format']> = {
  done: 'green',
  pending: 'yellow',
  needs_input: 'yellow',
  blocked: 'yellow',
  failed: 'red',
};

const OUTCOMES: Record<Decision['outcome'], string> = {
  done: 'done',
  gate_failed: 'said done, but a gate failed',
  rules_bent: 'said done, but changed what it is judged by',
  changes_requested: 'said done, but the review wants changes',
  partial: 'partly done',
  stuck: 'stuck',
  interrupted: 'interrupted, at no cost to the task',
};

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';

function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000);
  return seconds < 60
    ? `${(milliseconds / 1_000).toFixed(1)}s`
    : `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`;
}
