// What `gh issue list --json number,title,body,state,labels,...` prints. `github-api.ts` brings answers of the API into this form.
import type { Backlog } from '../../../domain/exchange/backlog.ts';
import type { Priority, Status } from '../../../domain/tasks/task.ts';
import { toStorable } from '../../../domain/text/text.ts';
import { type Collector, collect } from './collect.ts';
import type { Json } from './json.ts';
import { takeCriteria } from './markdown/sections.ts';
import { takeTaskLists } from './markdown/task-lists.ts';
import { isRecord, SourceRecord } from './source-record.ts';
import { findPriority } from './words.ts';

const STATUSES: Readonly<Record<string, Status>> = {
  open: 'pending',
  closed: 'done',
  not_planned: 'skipped',
  duplicate: 'skipped',
};

export const recognisesGithub = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every(
    (one) => isRecord(one) && typeof one['number'] === 'number' && typeof one['title'] === 'string',
  );

/** What is known about the issues from elsewhere. */
export type GithubSource = {
  board: string;
  /** Whether an issue that is not among them can block another one. */
  isLink(number: string): boolean;
  problems: readonly string[];
};

export function readGithub(value: readonly Json[], from?: GithubSource): Backlog {
  const collector = collect();
  for (const issue of value) readIssue(collector, new SourceRecord(issue), from);
  for (const problem of from?.problems ?? []) collector.problem(problem);
  return collector.backlog({
    source: 'github',
    board: from?.board ?? repository(value),
    isOneBoard: from !== undefined,
    partsFirst: true,
  });
}

/** The repository, from the address of an issue. */
function repository(issues: readonly Json[]): string | null {
  const [url] = issues.map((issue) => issue['url']).filter((one) => typeof one === 'string');
  return url === undefined ? null : (/^https:\/\/[^/]+\/([^/\s]+\/[^/\s]+)\/issues\//.exec(url)?.[1] ?? null);
}

function readIssue(collector: Collector, record: SourceRecord, from?: GithubSource): void {
  const id = record.id('number');
  const name = `#${id}`;
  const labels = record.records('labels').flatMap((label) => new SourceRecord(label).texts('name'));
  const priority = labels.map(labelPriority).find((one) => one !== undefined);
  if (priority !== undefined) collector.mapped(`label → priority ${priority}`);
  const reason = record.text('stateReason')?.toLowerCase() ?? null;
  const state = record.text('state')?.toLowerCase() ?? null;
  const sourceStatus =
    state === 'closed' && reason !== null && Object.hasOwn(STATUSES, reason) ? reason : state;
  // The empty line: a body that begins with a rule has no front matter.
  const sections = takeCriteria(`\n${record.text('body') ?? ''}`);
  const { text, criteria } = takeTaskLists(sections.text);
  const blockers = [...record.ids('blockedBy'), ...readBlockers(text)];
  const [created, updated, completed] = ['createdAt', 'updatedAt', 'closedAt'].map((key) => record.time(key));
  const comments = record.records('comments').map(commentLine);
  const milestone = record.record('milestone');
  record.ignore('url', 'id', 'closed', 'isPinned', 'reactionGroups', 'projectCards');
  collector.task({
    id,
    place: name,
    title: record.text('title'),
    parent: record.record('parent')?.id('number') ?? null,
    depends_on: blockers.filter((number) => from?.isLink(number) ?? true),
    status: collector.status(name, sourceStatus, STATUSES),
    original_status: sourceStatus ?? 'open',
    fields: {
      feature: addMilestone(collector, milestone),
      description: text.trim() === '' ? null : text.trim(),
      acceptance_criteria: [...sections.criteria, ...criteria],
      tags: [...new Set(labels)],
      ...(priority !== undefined && { priority }),
    },
    times: {
      ...(typeof created === 'number' && { created }),
      ...(typeof updated === 'number' && { updated }),
      ...(typeof completed === 'number' && { completed }),
    },
    author: record.record('author')?.text('login') ?? null,
    leftovers: {
      ...record.leftovers(),
      ...(comments.length > 0 && { comments: toStorable(comments.join('\n')) }),
    },
  });
}

function addMilestone(collector: Collector, milestone: SourceRecord | null): string | null {
  const title = milestone?.text('title') ?? null;
  return title === null
    ? null
    : collector.feature(title, { description: milestone?.text('description') ?? null });
}

function commentLine(comment: Json): string {
  const record = new SourceRecord(comment);
  return `${record.record('author')?.text('login') ?? 'somebody'}: ${record.text('body') ?? ''}`;
}

/** "priority: high", "P1" and "prio/low" are priorities; "good first issue" is none. */
const labelPriority = (label: string): Priority | undefined =>
  /^(?:p[0-4]|critical|urgent)$/i.test(label)
    ? findPriority(label)
    : findPriority(/^prio(?:rity)?\s*[:/ -]\s*(\S.*)$/i.exec(label)?.[1] ?? '');

/** "Blocked by #12, #13" and "Depends on: #12" at the beginning of a line. */
function readBlockers(body: string): string[] {
  const lines = body.matchAll(/^[ \t]*(?:[-*+][ \t]+)?(?:\*\*)?(?:blocked by|depends on)\b([^\n]*)$/gim);
  return [...lines].flatMap(([, rest = '']) =>
    [...rest.matchAll(/#(\d+)/g)].map(([, number = '']) => number),
  );
}
