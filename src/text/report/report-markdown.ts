// A run as Markdown. `literal` escapes everything that agents wrote.
import { costText, duration, tokens } from '../../domain/text/amounts.ts';
import { literal } from '../../domain/text/markdown.ts';
import { type Span, stopReason } from '../../domain/text/run-words.ts';
import { plural } from '../../domain/text/text.ts';
import type { Report, TaskReport } from '../../queue/sessions/report.ts';
import { clip, width } from '../terminal/table.ts';
import {
  cut,
  NO_SESSION,
  type ReportView,
  reportSections,
  runTime,
  TASK_TITLES,
  taskFacts,
} from './report-parts.ts';

const MIN_TITLE_COLUMNS = 12;

/** Shortens titles so that the table is at most `columns` wide. */
export function reportMarkdown(report: Report, view: ReportView & { columns: number }): string {
  const { run, tasks } = report;
  const sections = reportSections(report).map(
    ({ title, items }) => `## ${title}\n\n${items.map((spans) => `- ${inline(spans)}`).join('\n')}`,
  );
  return [
    `# Run ${run.id}`,
    `${runTime(report, view)}\n${inline(stopReason(report.run, view.isRunning))}`,
    tasks.length === 0 ? NO_SESSION : taskTable(tasks, view.columns),
    ...sections,
    totals(report),
  ].join('\n\n');
}

const inline = (spans: readonly Span[]): string => spans.map(renderSpan).join('');

function renderSpan(span: Span): string {
  if (typeof span === 'string') return span;
  switch (span.as) {
    case 'said':
      return literal(cut(span.text));
    case 'strong':
      return `**${literal(cut(span.text))}**`;
    case 'command':
      return `\`${span.text}\``;
  }
}

function taskTable(tasks: readonly TaskReport[], columns: number): string {
  const rows = tasks.map((task) => taskRow(task, columns));
  return [row(TASK_TITLES), '|--:|---|---|--:|--:|--:|--:|--:|---|', ...rows].join('\n');
}

/** On a terminal the title is shortened; in a file nothing is. */
function taskRow(task: TaskReport, columns: number): string {
  const facts = taskFacts(task);
  const room = columns - width(row([String(task.id), '', ...facts]));
  return row([String(task.id), literal(clip(task.title, Math.max(MIN_TITLE_COLUMNS, room))), ...facts]);
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

function totals({ totals: all, planning }: Report): string {
  return [
    '## Totals',
    '',
    `- ${plural(all.sessions, 'session')} on ${plural(all.tasks, 'task')}, ${all.done} done, ${duration(all.duration_ms)} of work`,
    `- ${costText(all.cost_usd)}, ${tokens(all.input_tokens)} tokens in, ${tokens(all.output_tokens)} out`,
    `- gates: ${all.gates.passed} of ${all.gates.total} passed`,
    ...(planning.sessions === 0
      ? []
      : [
          `- planning before it: ${plural(planning.sessions, 'session')}, ${costText(planning.cost_usd)}; with the run ${costText(all.cost_usd + planning.cost_usd)}`,
        ]),
  ].join('\n');
}
