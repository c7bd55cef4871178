import type { Backlog } from '../../../domain/exchange/backlog.ts';
import type { Status } from '../../../domain/tasks/task.ts';
import { toStorable } from '../../../domain/text/text.ts';
import { type Collector, collect, priorityFrom } from './collect.ts';
import type { Json } from './json.ts';
import { isRecord, SourceRecord } from './source-record.ts';

const STATUSES: Readonly<Record<string, Status>> = {
  open: 'pending',
  in_progress: 'pending',
  hooked: 'pending',
  blocked: 'pending',
  closed: 'done',
  deferred: 'skipped',
  tombstone: 'skipped',
  // A pinned issue stays open forever on purpose. It is a note and not work, until a person approves it.
  pinned: 'draft',
};

/** No work for a session: `bd ready` hides them. */
const HIDDEN_TYPES = new Set([
  'merge-request',
  'gate',
  'molecule',
  'message',
  'agent',
  'role',
  'rig',
  'event',
  'convoy',
]);

/** A person may approve one all the same. */
const HIDDEN_STATUSES: Readonly<Record<string, Status>> = Object.fromEntries(
  Object.keys(STATUSES).flatMap((word) => (STATUSES[word] === 'pending' ? [[word, 'draft']] : [])),
);

export const recognisesBeads = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value['id'] === 'string' &&
  typeof value['title'] === 'string' &&
  ['issue_type', 'status', 'priority'].some((key) => Object.hasOwn(value, key));

/** Reads one issue a line. Beads makes ids that are unique everywhere, so all files are one board. */
export function readBeads(issues: readonly Json[]): Backlog {
  const collector = collect();
  const hidden = new Map<string, number>();
  for (const [index, issue] of issues.entries()) {
    const kind = readIssue(collector, issue, `issue ${index + 1}`);
    if (kind !== null) hidden.set(kind, (hidden.get(kind) ?? 0) + 1);
  }
  if (hidden.size > 0)
    collector.problem(
      `Issues that bd ready hides came in as drafts: ${[...hidden].map(([kind, count]) => `${kind} (${count})`).join(', ')}.`,
    );
  return collector.backlog({ source: 'beads', board: 'beads', isOneBoard: true, partsFirst: true });
}

/** Returns why `bd ready` hides an open issue, or null. */
function readIssue(collector: Collector, issue: Json, place: string): string | null {
  const record = new SourceRecord(issue);
  const id = record.id('id');
  const sourceStatus = record.text('status');
  const type = record.text('issue_type');
  const isEphemeral = record.text('ephemeral') === 'true';
  const hiddenKind = isEphemeral ? 'ephemeral' : type !== null && HIDDEN_TYPES.has(type) ? type : null;
  const not_before = record.time('defer_until');
  const priority = collector.priority(id ?? place, record.number('priority'), priorityFrom(0));
  const links = readLinks(record.records('dependencies'));
  const [created, updated, completed] = ['created_at', 'updated_at', 'closed_at'].map((key) =>
    record.time(key),
  );
  const comments = record.records('comments').map((one) => {
    const { author, created_at, text } = one;
    return typeof text === 'string'
      ? // Stored with the task: other words would make every issue look changed at the next import.
        `${author ?? 'somebody'} (${created_at ?? 'once'}): ${text}`
      : JSON.stringify(one);
  });
  const author = record.text('created_by');
  record.ignore('dependency_count', 'dependent_count', 'comment_count');
  const mapped = collector.status(id ?? place, sourceStatus, {
    ...STATUSES,
    // Put off until a day, it comes back by itself.
    ...(not_before !== null && { deferred: 'pending' }),
    ...(hiddenKind !== null && HIDDEN_STATUSES),
  });
  const status = hiddenKind !== null && mapped === 'pending' ? 'draft' : mapped;
  collector.task({
    id,
    place,
    title: record.text('title'),
    status,
    original_status: sourceStatus ?? 'open',
    parent: record.id('parent') ?? links.parent,
    depends_on: links.blocks,
    fields: {
      description: record.text('description'),
      hints: record.text('design'),
      acceptance_criteria: record.texts('acceptance_criteria'),
      tags: [...new Set([...(type === null ? [] : [type]), ...record.texts('labels')])],
      ...(priority !== undefined && { priority }),
    },
    times: {
      ...(typeof created === 'number' && { created }),
      ...(typeof updated === 'number' && { updated }),
      ...(typeof completed === 'number' && { completed }),
    },
    not_before,
    author,
    leftovers: {
      ...record.leftovers(),
      ...links.others,
      ...(comments.length > 0 && { comments: toStorable(comments.join('\n')) }),
    },
  });
  return status === 'draft' ? hiddenKind : null;
}

/** `blocks` is a dependency, `parent-child` a parent; Ralph keeps every other kind as a note. */
function readLinks(dependencies: readonly Json[]): {
  blocks: string[];
  parent: string | null;
  others: Record<string, string>;
} {
  const blocks: string[] = [];
  // A Map: the file chooses the keys, and one of them may be `constructor`.
  const others = new Map<string, string>();
  const keep = (name: string, text: string): void =>
    void others.set(name, [others.get(name), text].filter(Boolean).join(', '));
  let parent: string | null = null;
  for (const dependency of dependencies) {
    const record = new SourceRecord(dependency);
    const other = record.id('depends_on_id');
    const type = record.text('type') ?? 'blocks';
    if (other === null) keep('dependency', JSON.stringify(dependency));
    else if (type === 'blocks') blocks.push(other);
    else if (type === 'parent-child' && parent === null) parent = other;
    else keep(type, other);
  }
  return { blocks, parent, others: Object.fromEntries(others) };
}
