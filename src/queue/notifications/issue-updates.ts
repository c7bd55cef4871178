// What the issues that tasks came from are to be told, as an event shows it.
import type { RalphEvent } from '../../domain/event.ts';
import { type IssueNews, issueComment, issueTarget } from '../../domain/notifications/issue-comment.ts';
import type { Need } from '../../domain/notifications/notification.ts';
import type { Status } from '../../domain/tasks/task.ts';
import type { Reader } from '../../store/database.ts';
import { findReceipt, tasksInCommit } from '../../store/sessions/receipts.ts';
import { findReferencedTask, referencesOfTask } from '../../store/tasks/references.ts';
import { findTask, type StoredTask } from '../../store/tasks/tasks.ts';
import { describeChange } from './need-in.ts';

export type IssueRules = {
  /** Repositories that a person imported from this host. */
  boards: readonly string[];
  /** Whether a task that is done without a commit changed nothing, rather than waits for a commit. */
  isCommitNow: boolean;
};

type Update = Need & { target: string };

/** Only what a session did: a person who changes a status knows it. */
export async function issueUpdatesIn(db: Reader, event: RalphEvent, rules: IssueRules): Promise<Update[]> {
  const { kind, task_id, session_id, data } = event;
  const { to, state, commit } = (data ?? {}) as Record<string, unknown>;
  if (rules.boards.length === 0 || task_id === null || session_id === null) return [];
  if (kind === 'landing.ended' && state === 'landed' && typeof commit === 'string') {
    // One commit may hold the work of several tasks.
    const ids = await tasksInCommit(db, commit);
    return (await Promise.all(ids.map((id) => finishedUpdates(db, event, id, rules)))).flat();
  }
  if (kind !== 'task.status') return [];
  if (to === 'done') {
    const receipt = await findReceipt(db, task_id);
    return receipt?.commit === null && rules.isCommitNow ? finishedUpdates(db, event, task_id, rules) : [];
  }
  const task = await findTask(db, task_id);
  const change = task === null ? null : await describeChange(db, task, String(to));
  if (change === null) return [];
  const { words, command } = change;
  const news: IssueNews =
    words === null ? { kind: 'failed', command } : { kind: 'question', asks: change.verb, words, command };
  return taskUpdates(db, event, task_id, news, rules);
}

async function finishedUpdates(
  db: Reader,
  event: RalphEvent,
  task_id: number,
  rules: IssueRules,
): Promise<Update[]> {
  const [task, receipt] = [await findTask(db, task_id), await findReceipt(db, task_id)];
  // A review may have put it back since.
  if (task?.status !== 'done' || receipt === null) return [];
  const gates = receipt.gates.filter(({ passed }) => passed).map(({ name }) => name);
  const { commit, summary } = receipt;
  return taskUpdates(db, event, task_id, { kind: 'finished', commit, summary, gates }, rules);
}

async function taskUpdates(
  db: Reader,
  { id: event_id }: RalphEvent,
  task_id: number,
  news: IssueNews,
  { boards }: IssueRules,
): Promise<Update[]> {
  const references = (await referencesOfTask(db, task_id)).filter(
    ({ source, board, id }) => source === 'github' && boards.includes(board) && /^\d+$/.test(id),
  );
  const text = issueComment(news);
  return references.map(({ board, id }) => ({
    event_id,
    kind: news.kind,
    text,
    command: '',
    target: issueTarget({ board, number: Number(id) }),
  }));
}

const STILL: Readonly<Record<string, readonly Status[]>> = {
  question: ['needs_input', 'blocked'],
  failed: ['failed'],
  finished: ['done'],
};

/** Whether the task is still as the update says: GitHub may have been out of reach for hours. */
export async function isStillTrue(
  db: Reader,
  { board, number }: { board: string; number: number },
  kind: Need['kind'],
): Promise<boolean> {
  const id = await findReferencedTask(db, { source: 'github', board, id: String(number) });
  const task: StoredTask | null = id === null ? null : await findTask(db, id);
  return task !== null && (STILL[kind]?.includes(task.status) ?? false);
}
