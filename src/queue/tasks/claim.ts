import type { Session } from '../../domain/sessions/session.ts';
import type { Task } from '../../domain/tasks/task.ts';
import { appendEvents } from '../../store/events.ts';
import { countTries, insertSession } from '../../store/sessions/sessions.ts';
import { claimNext, idsLacking } from '../../store/tasks/claim.ts';
import type { Queue } from '../queue.ts';
import { chooseBeside } from './choose-beside.ts';

export type Claim = {
  task: Task;
  /** How often the task was tried before. */
  tries: number;
  session: Pick<Session, 'id' | 'run_id' | 'task_id' | 'token' | 'base_commit' | 'root' | 'started'>;
  /** Ready tasks before this one that will probably change the same files as a running one. */
  passed_over: readonly number[];
};

export type ClaimInput = {
  run_id: number;
  session_id: string;
  base_commit?: string | null;
  /** The work tree that the session works in. */
  root?: string | null;
  /** Only this task, if it is ready. */
  task_id?: number | null;
  /** None of these. */
  except?: readonly number[];
  /** The tasks that run now: the next one should change other files than they do. */
  beside?: readonly number[];
  /** What the run offers: a task is claimed only if it needs nothing else. A task that is asked for by its id may need anything. */
  labels?: readonly string[];
  /** By task: how often it was passed over. */
  passedOver?: ReadonlyMap<number, number>;
};

/** Claims the next ready task for this session; null if nothing is ready. */
export function claim(
  queue: Queue,
  {
    run_id,
    session_id,
    base_commit = null,
    root = null,
    task_id = null,
    except = [],
    beside = [],
    labels = [],
    passedOver = new Map(),
  }: ClaimInput,
): Promise<Claim | null> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const others = task_id === null ? [...except, ...(await idsLacking(db, labels))] : except;
    const isChosen = task_id === null && beside.length > 0;
    const choice = isChosen
      ? await chooseBeside(db, at, { beside, except: others, passedOver })
      : { task_id, passed_over: [] };
    if (choice === null) return null;
    const task = await claimNext(db, at, { task_id: choice.task_id, except: others });
    if (task === null) return null;
    const { id, token } = task;
    const session = { id: session_id, run_id, task_id: id, token, base_commit, root, started: at };
    const tries = await countTries(db, id);
    await insertSession(db, session);
    await appendEvents(db, [
      {
        at,
        kind: 'task.status',
        task_id: task.id,
        session_id,
        run_id,
        data: { from: 'pending', to: task.status, cause: 'claim' },
      },
      { at, kind: 'session.started', task_id: task.id, session_id, run_id, data: { token: task.token } },
    ]);
    return { task, tries, session, passed_over: choice.passed_over };
  });
}
