import { isOnBranch, type PullSummary } from '../../domain/pull-requests/pull-request.ts';
import type { ProcessIdentity } from '../../domain/sessions/session.ts';
import { isOnHold, type OnHold } from '../../domain/tasks/feature.ts';
import { type Flag, flagText, isOpenBlocker } from '../../domain/tasks/flag.ts';
import { isSatisfied } from '../../domain/tasks/status.ts';
import { isOpenQuestion, type Question, type Status } from '../../domain/tasks/task.ts';
import type { Reader } from '../../store/database.ts';
import { type OpenSession, openSessions } from '../../store/sessions/sessions.ts';
import { findFeature } from '../../store/tasks/features.ts';
import { flagsOfTask } from '../../store/tasks/flags.ts';
import { waitingPulls } from '../../store/tasks/pull-requests.ts';
import { questionsOfTask } from '../../store/tasks/questions.ts';
import { edgesBelow } from '../../store/tasks/task-dependencies.ts';
import { findTasks, type StoredTask } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { requireTask } from '../require.ts';
import { taskFiles } from './choose-beside.ts';

type TaskName = Pick<StoredTask, 'id' | 'title' | 'status'> & {
  /** What it waits for itself, if that is a merge. */
  pull?: PullSummary;
};

/** One reason why a task cannot be claimed. */
export type Reason =
  | { kind: 'status'; status: Status }
  | { kind: 'running'; session_id: string; since: number }
  /** The task's session is open, but its process is gone. */
  | { kind: 'left_behind'; session_id: string; root: string | null }
  | { kind: 'question'; question: Pick<Question, 'id' | 'question'> }
  | { kind: 'flag'; flag: Pick<Flag, 'id'> & { text: string } }
  | { kind: 'external'; blocked_by: string }
  /** Its work is proven, and its pull request waits for a merge. */
  | { kind: 'pull'; pull: PullSummary }
  /** `roots`: the tasks at the end of the chain, which wait for no other task. */
  | { kind: 'dependency'; task: TaskName; roots: TaskName[] }
  | { kind: 'feature'; feature: string; status: OnHold }
  | { kind: 'time'; not_before: number }
  /** It is ready, but only for a run that has all of these labels. */
  | { kind: 'labels'; needs: readonly string[] }
  /** It is ready, but a run does not start it beside a task that changes the same files. */
  | { kind: 'files'; task: TaskName; files: string[] };

export type Why = { id: number; title: string; status: Status; ready: boolean; reasons: Reason[] };

export function why(queue: Queue, id: number, isAlive: (identity: ProcessIdentity) => boolean): Promise<Why> {
  const now = queue.now();
  return queue.store.read(async (db) => {
    const task = await requireTask(db, id);
    const reasons: Reason[] = [];
    const pulls = await pullsByTask(db);
    const pull = pulls.get(id);
    if (task.status === 'in_progress') {
      const open = (await openSessions(db)).find(({ session }) => session.task_id === id);
      if (open !== undefined) reasons.push(heldBySession(open, isAlive(open.owner)));
    } else if (pull !== undefined) reasons.push({ kind: 'pull', pull });
    else if (task.status !== 'pending') reasons.push({ kind: 'status', status: task.status });
    for (const question of await questionsOfTask(db, id)) {
      if (question.blocking && isOpenQuestion(question) && task.status === 'needs_input') {
        reasons.push({ kind: 'question', question: { id: question.id, question: question.question } });
      }
    }
    if (task.status === 'needs_input')
      for (const flag of (await flagsOfTask(db, id)).filter(isOpenBlocker))
        reasons.push({ kind: 'flag', flag: { id: flag.id, text: flagText(flag) } });
    if (task.blocked_by !== null && pull === undefined)
      reasons.push({ kind: 'external', blocked_by: task.blocked_by });
    if (!isSatisfied(task.status))
      reasons.push(...(await openDependencies(db, task, pulls)), ...(await featureOnHold(db, task)));
    if (task.not_before !== null && task.not_before > now)
      reasons.push({ kind: 'time', not_before: task.not_before });
    const ready = reasons.length === 0;
    if (ready && task.needs.length > 0) reasons.push({ kind: 'labels', needs: task.needs });
    if (ready) reasons.push(...(await sharedFiles(db, task)));
    return { id, title: task.title, status: task.status, ready, reasons };
  });
}

/** Those that wait to be merged. */
const pullsByTask = async (db: Reader): Promise<ReadonlyMap<number, PullSummary>> =>
  new Map((await waitingPulls(db)).map(({ task_id, ...pull }) => [task_id, pull]));

const heldBySession = (
  { session: { id: session_id, started, root } }: OpenSession,
  isAlive: boolean,
): Reason =>
  isAlive ? { kind: 'running', session_id, since: started } : { kind: 'left_behind', session_id, root };

async function sharedFiles(db: Reader, task: StoredTask): Promise<Reason[]> {
  const running = await findTasks(
    db,
    (await openSessions(db)).map(({ session }) => session.task_id),
  );
  const files = await taskFiles(db, [task, ...running]);
  const own = new Set(files.get(task.id)?.files);
  return running.flatMap((other) => {
    const shared = (files.get(other.id)?.files ?? []).filter((file) => own.has(file));
    return shared.length === 0
      ? []
      : [{ kind: 'files', task: toTaskName(other), files: [...new Set(shared)] }];
  });
}

async function featureOnHold(db: Reader, { feature }: StoredTask): Promise<Reason[]> {
  const found = feature === null ? null : await findFeature(db, feature);
  if (found === null || !isOnHold(found.status)) return [];
  return [{ kind: 'feature', feature: found.name, status: found.status }];
}

async function openDependencies(
  db: Reader,
  task: StoredTask,
  pulls: ReadonlyMap<number, PullSummary>,
): Promise<Reason[]> {
  if (task.open_blockers === 0) return [];
  const edges = await edgesBelow(db, task.id);
  const below = new Map(
    (await findTasks(db, [...new Set([...edges.values()].flat())])).map((found) => [found.id, found]),
  );
  const open = ({ depends_on, feature }: Pick<StoredTask, 'depends_on' | 'feature'>): StoredTask[] =>
    depends_on
      .flatMap((id) => below.get(id) ?? [])
      .filter((found) => !isSatisfied(found.status) && !isOnBranch(pulls.get(found.id), feature));
  const findRoots = (start: StoredTask): TaskName[] => {
    const seen = new Set<number>();
    const roots: TaskName[] = [];
    for (const stack = [start]; stack.length > 0; ) {
      const current = stack.pop();
      if (current === undefined || seen.has(current.id)) continue;
      seen.add(current.id);
      const waits = open({ ...current, depends_on: edges.get(current.id) ?? [] });
      if (waits.length === 0 && current.id !== start.id) roots.push(toTaskName(current));
      stack.push(...waits);
    }
    return roots.sort((a, b) => a.id - b.id);
  };
  const withPull = (name: TaskName): TaskName => {
    const pull = pulls.get(name.id);
    return pull === undefined ? name : { ...name, pull };
  };
  return open(task).map((found) => ({
    kind: 'dependency',
    task: withPull(toTaskName(found)),
    roots: findRoots(found).map(withPull),
  }));
}

const toTaskName = ({ id, title, status }: StoredTask): TaskName => ({ id, title, status });
