// The content of a report; report-markdown.ts and report-html.ts only format it.

import { buildPicture, type Graph, type GraphPicture } from '../../domain/graph/picture.ts';
import { type FlakyGate, flakyRate } from '../../domain/sessions/gate.ts';
import { duration, moneyIfKnown, tokens, zonedTime } from '../../domain/text/amounts.ts';
import {
  command,
  foreignText,
  outcomeText,
  type ParallelTotals,
  parallelText,
  type Span,
  strong,
} from '../../domain/text/run-words.ts';
import type { Report, TaskReport } from '../../queue/sessions/report.ts';
import { shortId } from '../terminal/style.ts';

export type ReportView = { isRunning: boolean; now: number };

export type ReportSection = { title: string; items: readonly (readonly Span[])[] };

/** The full text is in ralph show, ralph log and --json. */
const MAX_TEXT = 400;

/** Undefined where the queue does not count it. */
type WithParallel = Pick<Report, 'run'> & { parallel?: ParallelTotals | null };

export const cut = (text: string, limit: number = MAX_TEXT): string =>
  text.length > limit ? `${text.slice(0, limit).replace(/\p{Surrogate}$/u, '')}…` : text;

export function runTime({ run: { kind, started, ended } }: Report, { isRunning, now }: ReportView): string {
  const took =
    ended !== null
      ? `, ${duration(ended - started)}`
      : isRunning
        ? `, ${duration(now - started)} so far`
        : '';
  return `${zonedTime(started)}${took}${kind === 'interactive' ? ', in an MCP client' : ''}.`;
}

export const NO_SESSION = 'The run had no session.';

/** A row is the id, the title and taskFacts. */
export const TASK_TITLES = ['#', 'task', 'outcome', 'tries', 'time', 'cost', 'tokens', 'gates', 'commit'];

export const taskFacts = (task: TaskReport): string[] => [
  outcomeText(task),
  String(task.tries),
  duration(task.duration_ms),
  moneyIfKnown(task.cost_usd),
  tokens(task.input_tokens + task.output_tokens),
  task.gates.total === 0 ? '-' : `${task.gates.passed}/${task.gates.total}`,
  task.commit === null ? '-' : task.commit.slice(0, 7),
];

/** Only the sections that have items. */
export function reportSections(report: Report): ReportSection[] {
  const sections = [
    { title: 'Parallel work', items: parallelItems(report) },
    { title: 'Gates that failed', items: report.failed_gates.map(gateItem) },
    { title: 'Flaky gates', items: report.flaky_gates.map(flakyItem) },
    { title: 'Questions', items: report.questions.map(questionItem) },
    {
      title: 'Flags',
      items: report.flags.map(({ task_id, severity, category, what }) => [
        strong(severity),
        ' ',
        words(category),
        `, #${task_id}: `,
        foreignText(what),
      ]),
    },
    {
      title: 'Learned',
      items: report.learnings.map(({ task_id, category, body, reason }) => [
        words(category),
        `, #${task_id}: `,
        foreignText(body),
        ...because(reason),
      ]),
    },
    {
      title: 'Suggested',
      items: report.suggestions.map(({ task_id, kind, what, why }) => [
        words(kind),
        `, #${task_id}: `,
        foreignText(what),
        ...because(why),
      ]),
    },
  ];
  return sections.filter(({ items }) => items.length > 0);
}

const parallelItems = ({ parallel }: WithParallel): Span[][] =>
  parallelText(parallel).map(([about, amount]) => [`${about}: `, strong(amount)]);

function gateItem(gate: Report['failed_gates'][number]): Span[] {
  const { task_id, session_id, name, required, exit_code, line } = gate;
  const code = exit_code === null ? 'no exit code' : `exit code ${exit_code}`;
  return [
    `#${task_id} `,
    strong(name),
    ` (${code}${required ? '' : ', not required'}): `,
    foreignText(line),
    ' · ',
    command(`ralph log ${shortId(session_id)}`),
  ];
}

const flakyItem = (gate: FlakyGate): Span[] => [strong(gate.name), `: ${flakyRate(gate)}`];

export function questionItem(asked: Report['questions'][number]): Span[] {
  const { id, task_id, question, answer, dismissed, blocking } = asked;
  const rest =
    answer !== null
      ? [strong('Answer:'), ' ', foreignText(answer)]
      : dismissed !== null
        ? [strong('Dismissed.')]
        : [strong(`Open${blocking ? ', its task waits' : ''}:`), ' ', command(`ralph answer ${id} "..."`)];
  return [`Q${id} of #${task_id}: `, foreignText(question), ' ', ...rest];
}

const words = (name: string): Span => foreignText(name.replaceAll('_', ' '));

const because = (reason: string | null): Span[] =>
  reason === null || reason === '' ? [] : [' (why: ', foreignText(reason), ')'];

/** In a larger graph only the run's own tasks are shown. */
const MAX_TASKS = 300;

/** The tasks of a run in their current state, and the tasks that they wait for. */
export function runPicture({ tasks }: Graph, report: Report, now: number): GraphPicture {
  const own = new Set(report.tasks.map(({ id }) => id));
  const ownTasks = tasks.filter(({ id }) => own.has(id));
  const others = new Set(ownTasks.flatMap(({ depends_on }) => depends_on.filter((id) => !own.has(id))));
  const isAll = ownTasks.length + others.size <= MAX_TASKS;
  return buildPicture(
    {
      tasks: isAll ? tasks.filter(({ id }) => own.has(id) || others.has(id)) : ownTasks,
      elsewhere: isAll ? [] : [...others],
    },
    { all: true, around: null, now },
  );
}
