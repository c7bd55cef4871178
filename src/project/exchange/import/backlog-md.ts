import type { Backlog } from '../../../domain/exchange/backlog.ts';
import type { Status } from '../../../domain/tasks/task.ts';
import { type Collector, collect } from './collect.ts';
import { type FrontMatter, frontKeys, splitFrontMatter } from './front-matter.ts';

const STATUSES: Readonly<Record<string, Status>> = {
  'to do': 'pending',
  'in progress': 'pending',
  blocked: 'pending',
  review: 'pending',
  draft: 'draft',
  done: 'done',
};

/** Where a task begins; files of one backlog may follow each other in one text. */
const BEGIN = /^(?=---\n(?:id|title):[ \t])/m;

export const recognisesBacklogMd = (text: string): boolean => {
  const keys = frontKeys(text);
  return keys[0] === 'id' || ['id', 'title', 'status'].every((key) => keys.includes(key));
};

export const readBacklogMd = (text: string): Backlog =>
  readBacklogFiles(text.replaceAll('\r\n', '\n').split(BEGIN));

/** Backlog.md has one Markdown file a task: fields in front, then sections. */
export function readBacklogFiles(texts: readonly string[]): Backlog {
  const collector = collect();
  const tasks = texts
    .flatMap((text) => splitFrontMatter(text) ?? [])
    .map((parts) => ({ id: parts.front.id('id'), ...parts }));
  // A backlog may have changed its prefix: then a link says task-7 and means BACK-7.
  const byNumber = new Map(tasks.flatMap(({ id }) => (id === null ? [] : [[numberPart(id), id]])));
  const ids = new Set(tasks.map(({ id }) => id));
  const toId = (link: string): string => (ids.has(link) ? link : (byNumber.get(numberPart(link)) ?? link));
  for (const [index, task] of tasks.entries()) readTask(collector, task, `task ${index + 1}`, toId);
  return collector.backlog({ source: 'backlog-md', board: null, isOneBoard: false, partsFirst: true });
}

const numberPart = (id: string): string => id.replace(/^.*-/, '').toLowerCase();

function readTask(
  collector: Collector,
  { id, front, sections }: FrontMatter & { id: string | null },
  place: string,
  toId: (link: string) => string,
): void {
  const status = front.text('status');
  const priority = collector.priority(id ?? place, front.text('priority'));
  const parent = front.id('parent_task_id');
  const [created, updated] = [front.time('created_date'), front.time('updated_date')];
  front.ignore('ordinal');
  const description = [sections.take(''), sections.take('Description')].filter(Boolean).join('\n\n');
  const criteria = ['Acceptance Criteria', 'Definition of Done'].flatMap((name) => sections.takeItems(name));
  const plan = sections.take('Implementation Plan');
  const author = front.text('reporter');
  collector.task({
    id,
    place,
    title: front.text('title'),
    status: collector.status(id ?? place, status, STATUSES),
    original_status: status ?? 'To Do',
    parent: parent === null ? null : toId(parent),
    depends_on: front.ids('dependencies').map(toId),
    fields: {
      description,
      acceptance_criteria: criteria,
      pseudocode: plan,
      tags: front.texts('labels'),
      ...(priority !== undefined && { priority }),
    },
    times: { ...(created !== null && { created }), ...(updated !== null && { updated }) },
    author,
    leftovers: { ...front.leftovers(), ...sections.leftovers() },
  });
}
