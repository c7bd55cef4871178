import type { Run } from '../../domain/sessions/session.ts';
import type { Flag } from '../../domain/tasks/flag.ts';
import { STATUS_SYMBOLS, type StatusWord } from '../../domain/tasks/status.ts';
import { type Question, STATUSES, type Status, type Task } from '../../domain/tasks/task.ts';
import { readMetadata } from '../../store/metadata.ts';
import { openRuns } from '../../store/sessions/runs.ts';
import {
  countReady,
  idsLacking,
  type LackingTask,
  nextDue,
  peekNext,
  tasksLacking,
} from '../../store/tasks/claim.ts';
import { countOpenFlags, openFlags } from '../../store/tasks/flags.ts';
import { type WaitingPull, waitingPulls } from '../../store/tasks/pull-requests.ts';
import { openQuestions } from '../../store/tasks/questions.ts';
import { countSearched, type TaskSearch } from '../../store/tasks/task-page.ts';
import { countByStatus } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { requireTask } from '../require.ts';
import { publicTask } from './list.ts';

export type QueueStatus = {
  title: string | null;
  description: string | null;
  counts: Record<Status, number>;
  /** How many pending tasks could start now. */
  ready: number;
  next: Task | null;
  /** If nothing is ready: when the next task becomes ready by time alone. */
  due: number | null;
  questions: Question[];
  /** The first open flags: those that block come first. */
  flags: Flag[];
  /** How many open flags are not listed. */
  more_flags: number;
  runs: Run[];
  /** Of tasks whose pull request waits for a merge. */
  pull_requests: WaitingPull[];
};

/** More than a person reads at once. */
const MAX_FLAGS = 200;

export function status(queue: Queue): Promise<QueueStatus> {
  const now = queue.now();
  return queue.store.read(async (db) => {
    const counts = await countByStatus(db);
    const next = await peekNext(db, now);
    const { title = null, description = null } = await readMetadata(db);
    const flags = await openFlags(db, MAX_FLAGS);
    return {
      title,
      description,
      counts: Object.fromEntries(STATUSES.map((name) => [name, counts[name] ?? 0])) as Record<Status, number>,
      ready: next === null ? 0 : await countReady(db, now),
      next: next === null ? null : publicTask(next),
      due: next === null ? await nextDue(db, now) : null,
      questions: await openQuestions(db),
      flags,
      more_flags: (await countOpenFlags(db)) - flags.length,
      runs: await openRuns(db),
      pull_requests: await waitingPulls(db),
    };
  });
}

/** The task that a claim would return now. `labels`: what the run offers; without them, whatever a task needs. */
export async function peek(
  queue: Queue,
  labels?: readonly string[],
  except: readonly number[] = [],
): Promise<Task | null> {
  const now = queue.now();
  const task = await queue.store.read(async (db) =>
    peekNext(db, now, [...except, ...(labels === undefined ? [] : await idsLacking(db, labels))]),
  );
  return task === null ? null : publicTask(task);
}

/** Tasks that wait only for a run with other labels. */
export const lackingLabels = (queue: Queue, labels: readonly string[]): Promise<LackingTask[]> =>
  queue.store.read((db) => tasksLacking(db, labels));

export async function countTasks(queue: Queue): Promise<number> {
  const counts = await queue.store.read(countByStatus);
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

export type TaskCounts = Readonly<Record<StatusWord, number>>;

/** Matches in each status; ignores the statuses of the search. */
export function taskCounts(queue: Queue, search: TaskSearch): Promise<TaskCounts> {
  const at = queue.now();
  return queue.store.read(async (db) => {
    const byWord = await countSearched(db, search, at);
    const count = (word: StatusWord): number => byWord.get(word) ?? 0;
    const words = Object.keys(STATUS_SYMBOLS) as StatusWord[];
    const counts = Object.fromEntries(words.map((word) => [word, count(word)])) as TaskCounts;
    return { ...counts, pending: count('ready') + count('waiting') };
  });
}

/** How many tasks are neither done nor skipped, without this one. */
export const countOtherOpenTasks = (queue: Queue, task_id: number): Promise<number> =>
  queue.store.read(async (db) => {
    const { done = 0, skipped = 0, ...open } = await countByStatus(db);
    const { status } = await requireTask(db, task_id);
    const all = Object.values(open).reduce((sum, count) => sum + count, 0);
    return status === 'done' || status === 'skipped' ? all : all - 1;
  });
