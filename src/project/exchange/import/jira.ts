// Jira's "Export CSV (all fields)". Labels, comments and links are columns that occur several times.
import type { Backlog } from '../../../domain/exchange/backlog.ts';
import type { Status } from '../../../domain/tasks/task.ts';
import { toStorable } from '../../../domain/text/text.ts';
import { type Collector, collect } from './collect.ts';
import type { CsvRow } from './csv.ts';
import { takeCriteria } from './markdown/sections.ts';
import { SourceRecord } from './source-record.ts';
import { STATUS_WORDS } from './words.ts';

/** A workflow may have any names; Jira maps each to one of three categories. */
const CATEGORIES: Readonly<Record<string, Status>> = {
  'to do': 'pending',
  'in progress': 'pending',
  done: 'done',
};

const DROPPED_RESOLUTIONS = /^(?:won't (?:do|fix)|duplicate|cancel+ed|declined|cannot reproduce|abandoned)$/i;

export const recognisesJira = (columns: readonly string[]): boolean =>
  columns.includes('Issue key') && columns.includes('Summary');

export function readJira(rows: readonly CsvRow[]): Backlog {
  const collector = collect();
  const records = rows.map((row) => new SourceRecord(row));
  const keys = new Map(rows.map((row) => [String(row['Issue id']), String(row['Issue key'])]));
  const blockers = new Map<string, string[]>();
  for (const row of rows)
    for (const blocked of new SourceRecord(row).ids('Outward issue link (Blocks)'))
      blockers.set(blocked, [...(blockers.get(blocked) ?? []), String(row['Issue key'])]);
  for (const [index, record] of records.entries())
    readIssue(collector, record, { place: `row ${index + 2}`, keys, blockers });
  // Every key has the name of its project in front, and no two projects of a site share one.
  return collector.backlog({ source: 'jira', board: 'jira', isOneBoard: true, partsFirst: true });
}

type Context = {
  place: string;
  keys: ReadonlyMap<string, string>;
  blockers: ReadonlyMap<string, readonly string[]>;
};

function readIssue(collector: Collector, record: SourceRecord, { place, keys, blockers }: Context): void {
  const id = record.id('Issue key');
  const name = id ?? place;
  const status = record.text('Status');
  const category = record.text('Status Category')?.toLowerCase() ?? null;
  const resolution = record.text('Resolution');
  const [parentId, parentKey] = [record.id('Parent', 'Parent id'), record.id('Parent key')];
  const epicLink = record.id('Custom field (Epic Link)', 'Epic Link');
  const parent = parentKey ?? (parentId === null ? null : (keys.get(parentId) ?? parentId)) ?? epicLink;
  const { text, criteria } = takeCriteria(record.text('Description') ?? '');
  const comments = record.texts('Comment', 'Comments').map(commentText);
  const priority = collector.priority(name, record.text('Priority'));
  const type = record.text('Issue Type');
  const author = record.text('Reporter', 'Creator');
  record.ignore('Issue id', 'Outward issue link (Blocks)', 'Project key', 'Project type', 'Project lead');
  collector.task({
    id,
    place,
    title: record.text('Summary'),
    parent,
    depends_on: [...record.ids('Inward issue link (Blocks)'), ...(blockers.get(name) ?? [])],
    status: readStatus(collector, name, { status, category, resolution }),
    original_status: resolution ?? status ?? 'open',
    fields: {
      description: text.trim() === '' ? null : text,
      acceptance_criteria: [...criteria, ...record.texts('Custom field (Acceptance Criteria)')],
      tags: [
        ...new Set([
          ...(type === null ? [] : [type]),
          ...record.texts('Labels'),
          ...record.texts('Components'),
        ]),
      ],
      ...(priority !== undefined && { priority }),
    },
    times: {},
    author,
    leftovers: {
      ...record.leftovers(),
      ...(comments.length > 0 && { Comments: toStorable(comments.join('\n')) }),
    },
  });
}

function readStatus(
  collector: Collector,
  name: string,
  { status, category, resolution }: Record<'status' | 'category' | 'resolution', string | null>,
): Status {
  if (resolution !== null && DROPPED_RESOLUTIONS.test(resolution)) {
    collector.mapped(`resolution ${resolution} → skipped`);
    return 'skipped';
  }
  const mapped = Object.hasOwn(CATEGORIES, category ?? '') ? CATEGORIES[category ?? ''] : undefined;
  if (mapped === undefined) return collector.status(name, status, STATUS_WORDS);
  collector.mapped(`status ${status} (${category}) → ${mapped}`);
  return mapped;
}

/** "2026-01-05 10:00;kim;Please read" */
const commentText = (comment: string): string => comment.replace(/^[^;\n]{0,40};[^;\n]{0,100};/, '');
