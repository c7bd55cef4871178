// Linear's CSV export: one row an issue.
import type { Backlog } from '../../../domain/exchange/backlog.ts';
import type { Status } from '../../../domain/tasks/task.ts';
import { type Collector, collect } from './collect.ts';
import type { CsvRow } from './csv.ts';
import { takeCriteria } from './markdown/sections.ts';
import { SourceRecord } from './source-record.ts';
import { STATUS_WORDS } from './words.ts';

export const recognisesLinear = (columns: readonly string[]): boolean =>
  ['ID', 'Title', 'Status', 'Team'].every((name) => columns.includes(name));

export function readLinear(rows: readonly CsvRow[]): Backlog {
  const collector = collect();
  for (const [index, row] of rows.entries()) readIssue(collector, new SourceRecord(row), `row ${index + 2}`);
  // Every id has the name of its team in front.
  return collector.backlog({ source: 'linear', board: 'linear', isOneBoard: true, partsFirst: true });
}

function readIssue(collector: Collector, record: SourceRecord, place: string): void {
  const id = record.id('ID');
  const name = id ?? place;
  const status = record.text('Status');
  const project = record.text('Project');
  const [created, updated, completed] = ['Created', 'Updated', 'Completed'].map((key) => record.time(key));
  const canceled = record.time('Canceled', 'Archived');
  const { text, criteria } = takeCriteria(record.text('Description') ?? '');
  const priority = collector.priority(name, record.text('Priority'));
  record.ignore('Team', 'Project ID', 'Project Milestone ID', 'Started', 'Triaged', 'SLA Status');
  collector.task({
    id,
    place,
    title: record.text('Title'),
    parent: record.id('Parent issue'),
    depends_on: record.ids('Blocked by'),
    status: readStatus(collector, name, {
      status,
      isDone: completed !== null,
      isCanceled: canceled !== null,
    }),
    original_status: status ?? 'Todo',
    fields: {
      feature: project === null ? null : collector.feature(project, {}),
      description: text.trim() === '' ? null : text,
      acceptance_criteria: criteria,
      tags: (record.text('Labels') ?? '')
        .split(',')
        .flatMap((label) => (label.trim() === '' ? [] : [label.trim()])),
      ...(priority !== undefined && { priority }),
    },
    times: {
      ...(typeof created === 'number' && { created }),
      ...(typeof updated === 'number' && { updated }),
      ...(typeof completed === 'number' && { completed }),
    },
    author: record.text('Creator'),
    leftovers: record.leftovers(),
  });
}

/** A workflow may have any names: the times say how an issue ended. */
function readStatus(
  collector: Collector,
  name: string,
  { status, isDone, isCanceled }: { status: string | null; isDone: boolean; isCanceled: boolean },
): Status {
  if (!isDone && !isCanceled) return collector.status(name, status, STATUS_WORDS);
  const ended = isDone ? 'done' : 'skipped';
  collector.mapped(`status ${status} → ${ended}`);
  return ended;
}
