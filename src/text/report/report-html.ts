// A run as one HTML file: no script, nothing fetched, light or dark. `text` escapes everything that agents wrote.

import { createHash } from 'node:crypto';
import type { GraphPicture } from '../../domain/graph/picture.ts';
import { isOpenQuestion } from '../../domain/tasks/task.ts';
import { zonedTime } from '../../domain/text/amounts.ts';
import {
  command,
  foreignText,
  type Span,
  stopReason,
  strong,
  totalsText,
} from '../../domain/text/run-words.ts';
import { escapeXml, MAX_TITLE, plural, singleLine, visible } from '../../domain/text/text.ts';
import type { Report, TaskReport } from '../../queue/sessions/report.ts';
import { GRAPH_STYLE, graphSvg } from '../graph/graph-svg.ts';
import { statusCell } from '../terminal/style.ts';
import { PAGE_STYLE } from './report-html-style.ts';
import {
  cut,
  NO_SESSION,
  questionItem,
  type ReportSection,
  type ReportView,
  reportSections,
  runTime,
  TASK_TITLES,
  taskFacts,
} from './report-parts.ts';

/** Also well-formed XML, so that a strict parser can check it. */
export function reportHtml(report: Report, picture: GraphPicture, view: ReportView): string {
  const { run, tasks, questions } = report;
  // Open questions are listed under "Needs you".
  const answered = { ...report, questions: questions.filter(({ answer }) => answer !== null) };
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8"/>',
    `<meta http-equiv="Content-Security-Policy" content="${policy()}"/>`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"/>',
    `<title>Ralph, run ${run.id}, ${zonedTime(run.started)}</title>`,
    `<style>${PAGE_STYLE}</style>`,
    '</head>',
    '<body>',
    '<main>',
    `<h1>Run ${run.id}</h1>`,
    `<p class="dim">${text(runTime(report, view))}</p>`,
    `<p>${inline(stopReason(report.run, view.isRunning))}</p>`,
    ...(tasks.length === 0
      ? [`<p>${NO_SESSION}</p>`]
      : [needs(report), tiles(report), taskTable(tasks), graph(picture)]),
    ...reportSections(answered).map(section),
    `<footer>State at ${zonedTime(view.now)}.</footer>`,
    '</main>',
    '</body>',
    '</html>',
  ].join('\n');
}

/** Allows nothing but these two styles. */
const policy = (): string =>
  `default-src 'none'; style-src ${[PAGE_STYLE, GRAPH_STYLE].map(styleHash).join(' ')}; base-uri 'none'; form-action 'none'`;

const styleHash = (style: string): string =>
  `'sha256-${createHash('sha256').update(style).digest('base64')}'`;

/** Untrusted text as one escaped line. */
const text = (raw: string, limit?: number): string => escapeXml(visible(singleLine(cut(raw, limit))));

const inline = (spans: readonly Span[]): string => spans.map(renderSpan).join('');

/** bdi: text that runs from right to left must not reorder what stands beside it. */
function renderSpan(span: Span): string {
  if (typeof span === 'string') return escapeXml(span);
  switch (span.as) {
    case 'said':
      return `<bdi>${text(span.text)}</bdi>`;
    case 'strong':
      return `<strong><bdi>${text(span.text)}</bdi></strong>`;
    case 'command':
      return `<code>${text(span.text)}</code>`;
  }
}

const list = (items: ReportSection['items']): string =>
  `<ul>\n${items.map((spans) => `<li>${inline(spans)}</li>`).join('\n')}\n</ul>`;

const section = ({ title, items }: ReportSection): string => `<h2>${title}</h2>\n${list(items)}`;

function needs(report: Report): string {
  const { tasks, questions } = report;
  const items = [
    ...questions.filter(isOpenQuestion).map(questionItem),
    ...tasks.filter(({ status }) => status === 'failed').map((task) => failedItem(task, report)),
    ...tasks
      .filter(({ status }) => status === 'blocked')
      .map(({ id, title }) => [`#${id} `, foreignText(title), ' is blocked: ', command(`ralph why ${id}`)]),
  ];
  return items.length === 0
    ? '<p>None of its tasks needs you.</p>'
    : `<section class="needs">\n${section({ title: 'Needs you', items })}\n</section>`;
}

function failedItem({ id, title }: TaskReport, { failed_gates }: Report): Span[] {
  const gate = failed_gates.findLast(({ task_id, required }) => task_id === id && required);
  return [
    `#${id} `,
    foreignText(title),
    ' ',
    strong('failed'),
    ...(gate === undefined ? [] : [' at gate ', strong(gate.name), ': ', foreignText(gate.line)]),
    ' · ',
    command(`ralph show ${id}`),
    ' ',
    command(`ralph retry ${id}`),
  ];
}

function tiles({ totals, planning }: Report): string {
  const boxes = totalsText(totals, planning).map(
    ([about, value]) => `<div><dt>${about}</dt><dd>${value}</dd></div>`,
  );
  return `<dl class="tiles">\n${boxes.join('\n')}\n</dl>`;
}

const taskTable = (tasks: readonly TaskReport[]): string =>
  [
    '<h2 id="tasks">Tasks</h2>',
    '<table aria-labelledby="tasks">',
    `<thead><tr>${TASK_TITLES.map((title) => `<th scope="col">${title}</th>`).join('')}</tr></thead>`,
    '<tbody>',
    ...tasks.map(taskRow),
    '</tbody>',
    '</table>',
  ].join('\n');

/** Symbol and colour show the task's current state. */
function taskRow(task: TaskReport): string {
  const [outcome = '', ...facts] = taskFacts(task);
  const [symbol] = statusCell(task.status).text;
  const cells = facts.map(
    (fact, index) => `<td data-about="${TASK_TITLES[index + 3]}">${escapeXml(fact)}</td>`,
  );
  return [
    `<tr><td>${task.id}</td><th scope="row"><bdi>${text(task.title, MAX_TITLE)}</bdi></th>`,
    `<td class="${task.status}">${symbol} ${text(outcome)}</td>${cells.join('')}</tr>`,
  ].join('');
}

function graph(picture: GraphPicture): string {
  const { layout, critical, left_out } = picture;
  const isDrawn = layout.routes.length > 0;
  const sentences = [
    isDrawn
      ? 'A task waits for the tasks that lines connect it to on its left.'
      : 'None of them waits for another.',
    ...(isDrawn && critical.tasks.length > 1
      ? ['The thick line is the critical path, the longest chain of open tasks.']
      : []),
    ...(left_out.elsewhere.length === 0
      ? []
      : [`Not shown: ${plural(left_out.elsewhere.length, 'task')} of other runs that these wait for.`]),
  ].join(' ');
  const drawn = `<figure>
<div class="scroll" role="region" aria-label="Graph of the dependencies" tabindex="0">
${graphSvg(picture, '', '')}
</div>
<figcaption>${sentences}</figcaption>
</figure>`;
  return `<h2>Dependencies</h2>\n${isDrawn ? drawn : `<p>${sentences}</p>`}`;
}
