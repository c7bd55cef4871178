import { LineCounter } from 'yaml';
import type { Backlog } from '../../../domain/exchange/backlog.ts';
import type { Status } from '../../../domain/tasks/task.ts';
import { parseBounded } from '../../definitions/parse-bounded.ts';
import { type Collector, collect } from './collect.ts';
import type { Json } from './json.ts';
import { isRecord, SourceRecord } from './source-record.ts';

const STATUSES: Readonly<Record<string, Status>> = {
  'to do': 'pending',
  'in progress': 'pending',
  blocked: 'pending',
  review: 'pending',
  draft: 'draft',
  done: 'done',
};

/** Where a task begins; files of one backlog may follow each other in one text. */
const BEGIN = /^(?=---\nid:[ \t])/m;
const TASK = /^---\n(.*?)\n---[ \t]*(?:\n|$)(.*)$/s;

export const recognisesBacklogMd = (text: string): boolean => /^\s*---\r?\nid:[ \t]/.test(text);

/** Backlog.md has one Markdown file a task: fields in front, then sections. */
export function readBacklogMd(text: string): Backlog {
  const collector = collect();
  const parts = text
    .replaceAll('\r\n', '\n')
    .split(BEGIN)
    .filter((part) => TASK.test(part));
  const entries = parts.map((part) => {
    const [, front = '', body = ''] = TASK.exec(part) ?? [];
    return { front: new SourceRecord(parseFront(front)), body };
  });
  const tasks = entries.map(({ front, body }) => ({ id: front.id('id'), front, body }));
  // A backlog may have changed its prefix: then a link says task-7 and means BACK-7.
  const byNumber = new Map(tasks.flatMap(({ id }) => (id === null ? [] : [[numberPart(id), id]])));
  const toId = (link: string): string => byNumber.get(numberPart(link)) ?? link;
  for (const [index, task] of tasks.entries()) readTask(collector, task, `task ${index + 1}`, toId);
  return collector.backlog({ source: 'backlog-md', board: null, isOneBoard: false, partsFirst: true });
}

const numberPart = (id: string): string => id.replace(/^.*-/, '').toLowerCase();

/** Fields that are no YAML stay readable: they become one leftover. */
function parseFront(text: string): Json {
  try {
    const document = parseBounded(text, { lineCounter: new LineCounter() });
    const value: unknown = document.errors.length === 0 ? document.toJS({ maxAliasCount: 0 }) : null;
    if (isRecord(value)) return value;
  } catch {
    // Too many keys or aliases: the same as fields that are no YAML.
  }
  return { fields: text };
}

function readTask(
  collector: Collector,
  { id, front, body }: { id: string | null; front: SourceRecord; body: string },
  place: string,
  toId: (link: string) => string,
): void {
  const sections = readSections(body);
  const take = (heading: string): string | null => {
    const text = sections.get(heading) ?? null;
    sections.delete(heading);
    return text;
  };
  const status = front.text('status');
  const priority = collector.priority(id ?? place, front.text('priority'), 1);
  const parent = front.id('parent_task_id');
  const [created, updated] = [front.time('created_date'), front.time('updated_date')];
  front.ignore('ordinal');
  const description = [take(''), take('Description')].filter(Boolean).join('\n\n');
  const criteria = [take('Acceptance Criteria'), take('Definition of Done')].flatMap(readItems);
  const plan = take('Implementation Plan');
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
    leftovers: { ...front.leftovers(), ...new SourceRecord(Object.fromEntries(sections)).leftovers() },
  });
}

/** By heading; what stands before the first one has none. */
function readSections(body: string): Map<string, string> {
  const sections = new Map<string, string>();
  let [heading, isFenced] = ['', false];
  for (const line of body.replace(/<!-- [A-Z]+(?::[A-Z]+)* -->\n?/g, '').split('\n')) {
    if (/^\s*(?:```|~~~)/.test(line)) isFenced = !isFenced;
    const found = isFenced ? undefined : /^## +(.*\S)/.exec(line)?.[1];
    if (found === undefined) sections.set(heading, `${sections.get(heading) ?? ''}${line}\n`);
    else heading = found;
  }
  return new Map([...sections].map(([name, text]) => [name, text.trim()]));
}

/** "- [ ] #1 A test passes" is "A test passes". */
const readItems = (text: string | null): string[] =>
  (text ?? '')
    .split('\n')
    .map((line) => line.replace(/^\s*[-*]\s+(?:\[.\]\s+)?(?:#\d+\s+)?/, '').trim())
    .filter((line) => line !== '');
