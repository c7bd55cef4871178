// The text around a session's transcript: its task, what it reported, how its gates went.
import { relative } from 'node:path';
import type { GateResult, Receipt } from '../domain/sessions/gate.ts';
import { endText } from '../domain/sessions/session.ts';
import { sessionState } from '../domain/sessions/session-state.ts';
import { signalText } from '../domain/sessions/signal.ts';
import { tryText } from '../domain/tasks/tries.ts';
import { costText, duration, localTime, moneyIfKnown, tokens } from '../domain/text/amounts.ts';
import { outcomeName } from '../domain/text/run-words.ts';
import { plural, visible } from '../domain/text/text.ts';
import type { ListedSession, SessionDetails } from '../queue/sessions/sessions.ts';
import type { Look } from './terminal/row.ts';
import { oneLine, paint, section, shortId, shortModel } from './terminal/style.ts';
import { clip, table } from './terminal/table.ts';
import { wrap } from './terminal/wrap.ts';

type Place = { terminal: Look };

/** Where the log of a gate is, for people; null if it has none. */
type LocateLog = (gate: Pick<GateResult, 'name' | 'log'>) => string | null;

export function headText({ session, title, run }: SessionDetails, { terminal }: Place): string {
  const { id, task_id, started, ended, outcome, usage } = session;
  const lines = [
    paint(clip(`#${task_id} ${oneLine(title)}`, terminal.columns), 'bold', terminal.color),
    `session ${id}, ${tryText(session)}, run ${run.id}`,
    `${localTime(started)}, ${ended === null ? 'not ended' : `${duration(ended - started)}, ${outcomeName(outcome ?? 'ended')}`}`,
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
    section('Reported', reports.length === 0 && session.ended !== null ? ['nothing'] : reports),
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

/** The proof behind a done, and the command that shows its session. */
export function receiptLines(receipt: Receipt): string[] {
  const { summary, gates, model, turns, input_tokens, output_tokens, cost_usd } = receipt;
  const facts: [string, string][] = [
    ['commit', commitText(receipt)],
    ...noChangeFact(receipt),
    ['tree', receipt.tree_hash === null ? 'not known' : receipt.tree_hash.slice(0, 7)],
    ['model', model === null ? 'not known' : oneLine(model)],
    [
      'spent',
      `${plural(turns, 'turn')}, ${tokens(input_tokens)} tokens in, ${tokens(output_tokens)} out, ${costText(cost_usd)}`,
    ],
    ['when', localTime(receipt.created)],
    ['session', `${receipt.session_id}   ralph log ${shortId(receipt.session_id)}`],
  ];
  return [
    `done: ${visible(summary)}`,
    ...(gates.length === 0 ? ['no gate is configured, so none ran'] : gates.map(gateText)),
    ...facts.map(([name, value]) => `${name.padEnd(7)} ${value}`),
  ];
}

function commitText({ commit, diff_stat }: Receipt): string {
  if (commit === null) return 'none';
  if (diff_stat === null) return commit.slice(0, 7);
  const { files, insertions, deletions } = diff_stat;
  return `${commit.slice(0, 7)}, ${plural(files, 'file')}, +${insertions} -${deletions}`;
}

const noChangeFact = ({ no_change_reason }: Receipt): [string, string][] =>
  no_change_reason === null ? [] : [['change', `none: ${oneLine(no_change_reason)}`]];

export function sessionTable(
  sessions: readonly ListedSession[],
  total: number,
  { terminal, now }: { terminal: Look; now: () => number },
  left: ReadonlySet<number>,
): string {
  const last = sessions.at(-1);
  if (last === undefined) return 'No sessions yet; ralph run works on the queue.';
  const at = now();
  const cells = (cell: (session: ListedSession) => string): string[] => sessions.map(cell);
  const shown = table(
    [
      { title: 'SESSION', cells: cells(({ id }) => shortId(id)) },
      {
        title: 'TASK',
        flexible: true,
        cells: cells(({ task_id, title }) => `#${task_id} ${oneLine(title)}`),
      },
      {
        title: 'OUTCOME',
        cells: cells((one) =>
          one.outcome === null ? sessionState(one, !left.has(one.task_id)).word : outcomeName(one.outcome),
        ),
      },
      { title: 'MODEL', flexible: true, cells: cells(({ usage }) => shortModel(usage.model ?? '-')) },
      { title: 'TURNS', align: 'right', cells: cells(({ usage }) => String(usage.turns)) },
      { title: 'COST', align: 'right', cells: cells(({ usage }) => moneyIfKnown(usage.cost_usd)) },
      { title: 'BEGAN', align: 'right', cells: cells(({ started }) => ago(at - started)) },
    ],
    terminal,
  );
  const count =
    total === sessions.length ? plural(total, 'session') : `${sessions.length} of ${total} sessions`;
  const hint = `${count}. ralph log ${shortId(last.id)} shows the last, ralph report --run ${last.run_id} its run.`;
  return `${shown}\n\n${wrap(hint, terminal.columns)}`;
}

function ago(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${minutes}m ago`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)}h ago` : `${Math.floor(minutes / 60 / 24)}d ago`;
}
