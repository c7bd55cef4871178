// Claude Code's task list: one JSON file a task in a folder, or the older list of todos in one file.
import type { Backlog } from '../../../domain/exchange/backlog.ts';
import { collect } from './collect.ts';
import type { Json } from './json.ts';
import { isRecord, SourceRecord } from './source-record.ts';
import { STATUS_WORDS } from './words.ts';

const isTask = (value: unknown): boolean =>
  isRecord(value) && typeof value['status'] === 'string' && typeof value['subject'] === 'string';

const isTodo = (value: unknown): boolean =>
  isRecord(value) && typeof value['status'] === 'string' && typeof value['content'] === 'string';

/** A task, a list of tasks, or a list of todos. */
export const recognisesClaudeTasks = (value: unknown): boolean => {
  const tasks = toList(value);
  return tasks.length > 0 && tasks.every((one) => isTask(one) || isTodo(one));
};

const toList = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : isRecord(value) && Array.isArray(value['todos']) ? value['todos'] : [value];

/** `board`: the name of the list, if the tasks come from its folder. */
export function readClaudeTasks(value: unknown, board: string | null = null): Backlog {
  const collector = collect();
  const tasks = toList(value).filter(isRecord);
  const blockers = readBlockers(tasks);
  for (const [index, task] of tasks.entries()) {
    const record = new SourceRecord(task);
    const subject = record.text('subject', 'content');
    // Todos have no id of their own: the words are what stays.
    const id = record.id('id') ?? subject;
    const status = record.text('status');
    const priority = collector.priority(id ?? '', record.text('priority'));
    record.ignore('blocks', 'activeForm', 'owner');
    collector.task({
      id,
      place: `task ${index + 1}`,
      title: subject,
      parent: null,
      depends_on: [...record.ids('blockedBy'), ...(blockers.get(id ?? '') ?? [])],
      status: collector.status(id ?? `task ${index + 1}`, status, STATUS_WORDS),
      original_status: status ?? 'pending',
      fields: {
        description: record.text('description'),
        ...(priority !== undefined && { priority }),
      },
      times: {},
      leftovers: record.leftovers(),
    });
  }
  return collector.backlog({ source: 'claude-tasks', board, isOneBoard: false, partsFirst: false });
}

/** `blocks` says the same from the other side; Claude Code writes both, people only one. */
function readBlockers(tasks: readonly Json[]): Map<string, string[]> {
  const blockers = new Map<string, string[]>();
  for (const task of tasks) {
    const record = new SourceRecord(task);
    const id = record.id('id');
    if (id === null) continue;
    for (const blocked of record.ids('blocks')) blockers.set(blocked, [...(blockers.get(blocked) ?? []), id]);
  }
  return blockers;
}
