import { z } from 'zod';
import type { TaskStage } from '../../domain/sessions/session.ts';
import { STATUS_SYMBOLS, type StatusWord } from '../../domain/tasks/status.ts';
import type { Task } from '../../domain/tasks/task.ts';
import { truncate } from '../../domain/text/text.ts';
import { type TaskCounts, taskCounts } from '../../queue/tasks/status.ts';
import { type TaskCost, taskPage, usedTags } from '../../queue/tasks/task-page.ts';
import { type WaitingOn, waitingOn } from '../../queue/tasks/waiting-on.ts';
import { idText, text } from '../fields.ts';
import { readStages } from '../train.ts';
import { defineView } from '../view.ts';

const TASKS_PER_PAGE = 100;
/** Characters of a long text in a row; the page of the task shows all of it. */
const MAX_TEXT = 200;
const MAX_NAMED = 5;
const MAX_TAGS = 200;

export type TaskRow = Pick<
  Task,
  | 'id'
  | 'title'
  | 'status'
  | 'feature'
  | 'discipline'
  | 'priority'
  | 'open_blockers'
  | 'not_before'
  | 'blocked_by'
  | 'tags'
> &
  TaskCost &
  /** `stage`: null if its process is gone. */
  Omit<WaitingOn, 'session'> & {
    session: (NonNullable<WaitingOn['session']> & { stage: TaskStage | null }) | null;
  };

export type TasksView = {
  tasks: readonly TaskRow[];
  /** How many tasks match. */
  total: number;
  pages: number;
  /** By status, of the tasks that match the other filters. */
  counts: TaskCounts;
  /** All tags in use, whatever the filters. */
  tags: readonly string[];
};

const STATUS_WORDS = Object.keys(STATUS_SYMBOLS) as StatusWord[];

export const tasks = defineView({
  path: '/api/tasks',
  input: z.strictObject({
    status: text
      .transform((words) => words.split(',').filter(Boolean))
      .pipe(z.array(z.enum(STATUS_WORDS)))
      .default([]),
    feature: text.optional(),
    discipline: text.optional(),
    tag: text.optional(),
    text: text.optional(),
    page: idText.refine((page) => page > 0, 'begins with 1').default(1),
  }),
  read: async ({ queue, isAlive }, { status: statuses, page, ...filters }): Promise<TasksView> => {
    const search = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
    const { tasks: found, total } = await taskPage(queue, {
      ...search,
      statuses,
      limit: TASKS_PER_PAGE,
      offset: (page - 1) * TASKS_PER_PAGE,
    });
    const waits = await waitingOn(queue, found, isAlive);
    const stages = await readStages(queue, isAlive);
    return {
      tasks: found.map((task) => taskRow(task, waits.get(task.id), stages.get(task.id), queue.now())),
      total,
      pages: Math.ceil(total / TASKS_PER_PAGE),
      counts: await taskCounts(queue, search),
      tags: (await usedTags(queue, MAX_TAGS)).filter((tag) => tag.length <= MAX_TEXT),
    };
  },
});

function taskRow(
  task: Task & TaskCost,
  waits: WaitingOn | undefined,
  stage: TaskStage | undefined,
  now: number,
): TaskRow {
  const { id, title, status, feature, discipline, priority, open_blockers, not_before, blocked_by } = task;
  const { tries, cost_usd, duration_ms } = task;
  const { question = null, flag = null } = waits ?? {};
  const session = waits?.session ?? null;
  // The time of a dead process is unknown, so it counts as none.
  const uncertain_ms = session === null || session.isAlive ? 0 : now - session.started;
  return {
    id,
    title,
    status,
    feature,
    discipline,
    priority,
    open_blockers,
    not_before,
    tries,
    cost_usd,
    duration_ms: Math.max(0, duration_ms - uncertain_ms),
    blocked_by: blocked_by === null ? null : truncate(blocked_by, MAX_TEXT),
    tags: task.tags.filter((tag) => tag.length <= MAX_TEXT).slice(0, MAX_NAMED),
    waits_for: waits?.waits_for.slice(0, MAX_NAMED) ?? [],
    feature_status: waits?.feature_status ?? null,
    question: question === null ? null : { ...question, question: truncate(question.question, MAX_TEXT) },
    flag: flag === null ? null : { ...flag, text: truncate(flag.text, MAX_TEXT) },
    session: session === null ? null : { ...session, stage: stage ?? null },
  };
}
