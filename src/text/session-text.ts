// The text around a session's transcript: its task, what it reported, how its gates went.
import { relative } from 'node:path';
import type { GateResult } from '../domain/sessions/gate.ts';
import { endText } from '../domain/sessions/session.ts';
import { signalText } from '../domain/sessions/signal.ts';
import { tryText } from '../domain/tasks/tries.ts';
import { costText, duration, localTime, tokens } from '../domain/text/amounts.ts';
import { plural } from '../domain/text/text.ts';
import type { SessionDetails } from '../queue/sessions/sessions.ts';
import type { Look } from './terminal/row.ts';
import { oneLine, paint, section } from './terminal/style.ts';
import { clip } from './terminal/table.ts';
import { wrap } from './terminal/wrap.ts';

type Place = { terminal: Look };

/** Where the log of a gate is, for people; null if it has none. */
export type LocateLog = (gate: Pick<GateResult, 'name' | 'log'>) => string | null;

export function headText({ session, title, run }: SessionDetails, { terminal }: Place): string {
  const { id, task_id, started, ended, outcome, usage } = session;
  const lines = [
    paint(clip(`#${task_id} ${oneLine(title)}`, terminal.columns), 'bold', terminal.color),
    `session ${id}, ${tryText(session)}, run ${run.id}`,
    `${localTime(started)}, ${ended === null ? 'not ended' : `${duration(ended - started)}, ${outcome ?? 'ended'}`}`,
  ];
  if (usage.turns > 0)
    lines.push(
      `${usage.model === null ? '' : `${oneLine(usage.model)}, `}${plural(usage.turns, 'turn')}, ${tokens(usage.input_tokens)} tokens in, ${tokens(usage.output_tokens)} out, ${costText(usage.cost_usd)}`,
    );
  return `${lines.join('\n')}\n\n`;
}

export function footText(
  { session, signals, gates }: SessionDetails,
  { terminal }: Place,
  locate: LocateLog,
): string {
  const reports = signals.map((signal) =>
    wrap(`${signal.verb.padEnd(8)} ${oneLine(signalText(signal))}`, terminal.columns - 2),
  );
  const parts = [
    section('Said', reports.length === 0 && session.ended !== null ? ['nothing'] : reports),
    section('Gates', gateLines(gates, locate)),
    section('Ended', session.end === null ? [] : [endText(session.end)]),
  ];
  return parts.filter((one) => one !== null).join('\n\n');
}

export const gateLines = (
  gates: readonly Pick<GateResult, 'name' | 'passed' | 'required' | 'exit_code' | 'duration_ms' | 'log'>[],
  locate: LocateLog,
): string[] =>
  gates.flatMap((gate) => {
    const place = locate(gate);
    return [
      `${gateText(gate)}, ${duration(gate.duration_ms)}`,
      ...(place === null ? [] : [`  ${oneLine(place)}`]),
    ];
  });

export function gateText({
  name,
  passed,
  required,
  exit_code,
}: Pick<GateResult, 'name' | 'passed' | 'required' | 'exit_code'>): string {
  const code = exit_code === null ? 'no exit code' : `exit code ${exit_code}`;
  return `${passed ? '✓' : '✗'} ${oneLine(name)} ${passed ? 'passed' : 'failed'}, ${code}${required ? '' : ', not required'}`;
}

/** The path relative to the current folder if the file is below it. */
export function shortPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short.startsWith('..') ? path : short;
}
