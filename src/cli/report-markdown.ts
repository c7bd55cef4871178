// A run as a page that can be sent to somebody. What agents wrote stays text in it: see `literal`.

import { duration, money, tokens } from '../domain/amounts.ts';
import { plural } from '../domain/text.ts';
import type { Report, TaskReport } from '../queue/report.ts';
import { literal, under } from '../recipes/markdown.ts';
import { shortId, timeOf } from './style.ts';
import { clip, width } from './table.ts';

export type ReportView = { isRunning: boolean; columns: number; now: number };

/** Longer ones are at hand: ralph show, ralph log, --json. */
const MAX_TEXT = 400;
const SHORTEST_TITLE = 12;

export function reportMarkdown(report: Report, view: ReportView): string {
  const { run, tasks, failed_gates, questions, flags, learnings, suggestions } = report;
  const parts = [
    `# Run ${run.id}`,
    whenAndWhy(report, view),
    tasks.length === 0 ? 'It had no session.' : taskTable(tasks, view.columns),
    section('Gates that failed', failed_gates, ({ task_id, session_id, name, required, exit_code, line }) => {
      const code = exit_code === null ? 'no exit code' : `exit code ${exit_code}`;
      return `#${task_id} **${said(name)}** (${code}${required ? '' : ', not required'}): ${said(line)} · \`ralph log ${shortId(session_id)}\``;
    }),
    section('Questions', questions, ({ id, task_id, question, answer, blocking }) => {
      const open = `**Open${blocking ? ', its task waits' : ''}:** \`ralph answer ${id} "..."\``;
      return `Q${id} of #${task_id}: ${said(question)} ${answer === null ? open : `**Answer:** ${said(answer)}`}`;
    }),
    section(
      'Flags',
      flags,
      ({ task_id, severity, category, what }) =>
        `**${severity}** ${words(category)}, #${task_id}: ${said(what)}`,
    ),
    section(
      'Learned',
      learnings,
      ({ task_id, category, body, reason }) => `${category}, #${task_id}: ${said(body)}${because(reason)}`,
    ),
    section(
      'Suggested',
      suggestions,
      ({ task_id, kind, what, why }) => `${words(kind)}, #${task_id}: ${said(what)}${because(why)}`,
    ),
    totals(report),
  ];
  return parts.filter((part) => part !== null).join('\n\n');
}

const said = (text: string): string => literal(text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);

const words = (name: string): string => literal(name.replaceAll('_', ' '));

const because = (reason: string | null): string =>
  reason === null || reason === '' ? '' : ` (why: ${said(reason)})`;

const section = <T>(title: string, items: readonly T[], line: (item: T) => string): string | null =>
  under(`## ${title}`, items.map((item) => `- ${line(item)}`).join('\n'));

function whenAndWhy({ run }: Report, { isRunning, now }: ReportView): string {
  const { started, ended, stop_reason } = run;
  const took =
    ended !== null
      ? `, ${duration(ended - started)}`
      : isRunning
        ? `, ${duration(now - started)} so far`
        : '';
  const kind = run.kind === 'interactive' ? ', in an MCP client' : '';
  return `${timeOf(started)}${took}${kind}.\n${isRunning ? 'It is still running.' : stopSentence(stop_reason)}`;
}

const stopSentence = (reason: string | null): string =>
  reason === null
    ? 'It died; the next `ralph run` goes on where it was.'
    : (STOPS[reason] ?? `Stopped: ${literal(reason)}.`);

const STOPS: Readonly<Record<string, string>> = {
  finished: 'Stopped: every task was done or skipped.',
  waiting: 'Stopped: nothing was ready, what was left needed a person.',
  stagnated: 'Stopped: sessions in a row changed nothing.',
  limit: 'Stopped: a budget or a usage limit was reached.',
  unusable: 'Stopped: the agent could not be used.',
  stopped: 'Stopped by somebody.',
  enough: 'Stopped after as many sessions as were asked for.',
  died: 'It died, and a later run went on where it was.',
  'client left': 'The client left.',
};

const TITLES = ['#', 'task', 'outcome', 'tries', 'time', 'cost', 'tokens', 'gates', 'commit'];

function taskTable(tasks: readonly TaskReport[], columns: number): string {
  const rows = tasks.map((task) => taskRow(task, columns));
  return [row(TITLES), '|--:|---|---|--:|--:|--:|--:|--:|---|', ...rows].join('\n');
}

/** On a terminal the title gives way; in a file nothing does. */
function taskRow(task: TaskReport, columns: number): string {
  const rest = [
    outcomeOf(task),
    String(task.sessions),
    duration(task.duration_ms),
    money(task.cost_usd),
    tokens(task.input_tokens + task.output_tokens),
    task.gates.total === 0 ? '-' : `${task.gates.passed}/${task.gates.total}`,
    task.commit === null ? '-' : task.commit.slice(0, 7),
  ];
  const room = columns - width(row([String(task.id), '', ...rest]));
  return row([String(task.id), literal(clip(task.title, Math.max(SHORTEST_TITLE, room))), ...rest]);
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** What came of it in this run, and what has become of it since. */
function outcomeOf({ outcome, status }: TaskReport): string {
  if (outcome === null) return 'running';
  return outcome === status ? outcome : `${outcome}, now ${status}`;
}

function totals({ totals: all }: Report): string {
  return [
    '## Totals',
    '',
    `- ${plural(all.sessions, 'session')} on ${plural(all.tasks, 'task')}, ${all.done} done, ${duration(all.duration_ms)} of work`,
    `- ${money(all.cost_usd)}, ${tokens(all.input_tokens)} tokens in, ${tokens(all.output_tokens)} out`,
    `- gates: ${all.gates.passed} of ${all.gates.total} passed`,
  ].join('\n');
}
