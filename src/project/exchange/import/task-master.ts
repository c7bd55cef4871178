import type { Backlog } from '../../../domain/exchange/backlog.ts';
import type { Priority, Status } from '../../../domain/tasks/task.ts';
import { type Collector, collect } from './collect.ts';
import type { Json } from './json.ts';
import { isRecord, SourceRecord } from './source-record.ts';

const STATUSES: Readonly<Record<string, Status>> = {
  pending: 'pending',
  'in-progress': 'pending',
  review: 'pending',
  blocked: 'pending',
  done: 'done',
  completed: 'done',
  deferred: 'skipped',
  cancelled: 'skipped',
};

/** Task Master writes tags with tasks; older versions write one list. Ralph's own definitions have none of these fields. */
export function recognisesTaskMaster(value: unknown): boolean {
  const tasks = isRecord(value) ? findTags(value).flatMap(([, tag]) => tag['tasks']) : [];
  const hasAny = (...keys: string[]): boolean =>
    tasks.some((task) => isRecord(task) && keys.some((key) => Object.hasOwn(task, key)));
  // Stories of a prd.json may have dependencies as well; Task Master has no flag for passing.
  return hasAny('subtasks', 'testStrategy', 'details') || (hasAny('dependencies') && !hasAny('passes'));
}

const findTags = (value: Json): [string, Json][] =>
  Array.isArray(value['tasks'])
    ? [['master', value]]
    : Object.entries(value).filter(
        (entry): entry is [string, Json] => isRecord(entry[1]) && Array.isArray(entry[1]['tasks']),
      );

/** A tag becomes a feature, and part of every id: each tag counts from 1. */
export function readTaskMaster(value: Json): Backlog {
  const collector = collect();
  const tags = findTags(value);
  for (const [tag, content] of tags) {
    const record = new SourceRecord(content);
    const metadata = new SourceRecord(isRecord(content['metadata']) ? content['metadata'] : {});
    const feature = collector.feature(tag, { description: metadata.text('description') });
    // Dates and counts that the tool keeps for itself.
    metadata.ignore('version', 'created', 'updated', 'lastModified', 'taskCount', 'completedCount', 'tags');
    for (const [name, text] of Object.entries(metadata.leftovers()))
      collector.problem(
        `The tag ${tag} has ${name}: ${text}, which Ralph has no field for; it was left out.`,
      );
    const tasks = record.records('tasks');
    const subtasks = new Set(
      tasks.flatMap((task) =>
        (Array.isArray(task['subtasks']) ? task['subtasks'] : []).flatMap((one) =>
          isRecord(one) ? [`${task['id']}.${one['id']}`] : [],
        ),
      ),
    );
    for (const [index, task] of tasks.entries()) readTask(collector, { tag, feature, subtasks }, task, index);
  }
  for (const key of Object.keys(value).filter((name) => !tags.some(([tag]) => tag === name)))
    if (!['tasks', 'metadata'].includes(key))
      collector.problem(`${key} is not a tag with tasks; it was left out.`);
  return collector.backlog({ source: 'task-master', board: null, isOneBoard: false, partsFirst: true });
}

type Tag = { tag: string; feature: string | null; subtasks: ReadonlySet<string> };

function readTask(collector: Collector, tag: Tag, value: Json, index: number): void {
  const record = new SourceRecord(value);
  const number = record.id('id');
  const place = `${tag.tag} task ${index + 1}`;
  const id = number === null ? null : `${tag.tag} ${number}`;
  const subtasks = record.records('subtasks');
  const priority = collector.priority(id ?? place, record.text('priority'));
  const depends_on = record.ids('dependencies').map((other) => `${tag.tag} ${other}`);
  addTask(collector, tag, record, { id, place, parent: null, priority, depends_on });
  for (const [at, subtask] of subtasks.entries()) {
    const part = new SourceRecord(subtask);
    const own = part.id('id');
    // Subtasks of each task count from 1; "3.2" is a subtask of another task.
    const sibling = (other: string): string =>
      tag.subtasks.has(`${number}.${other}`) ? `${tag.tag} ${number}.${other}` : `${tag.tag} ${other}`;
    part.ignore('parentId', 'parentTaskId');
    addTask(collector, tag, part, {
      id: own === null || number === null ? null : `${tag.tag} ${number}.${own}`,
      place: `${place}, subtask ${at + 1}`,
      parent: id,
      priority: collector.priority(`${id ?? place}.${own}`, part.text('priority')) ?? priority,
      depends_on: part.ids('dependencies').map(sibling),
    });
  }
}

function addTask(
  collector: Collector,
  { feature }: Tag,
  record: SourceRecord,
  place: {
    id: string | null;
    place: string;
    parent: string | null;
    priority: Priority | undefined;
    depends_on: readonly string[];
  },
): void {
  const { priority, ...rest } = place;
  const sourceStatus = record.text('status');
  const updated = record.time('updatedAt');
  const strategy = record.text('testStrategy');
  collector.task({
    ...rest,
    title: record.text('title'),
    status: collector.status(place.id ?? place.place, sourceStatus, STATUSES),
    original_status: sourceStatus ?? 'pending',
    fields: {
      feature,
      description: record.text('description'),
      hints: record.text('details'),
      acceptance_criteria: [...record.texts('acceptanceCriteria'), ...(strategy === null ? [] : [strategy])],
      ...(priority !== undefined && { priority }),
    },
    times: updated === null ? {} : { updated },
    leftovers: record.leftovers(),
  });
}
