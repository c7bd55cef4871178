// What sessions leave for a person to look at, until the person closes it.
import { Refusal } from '../../domain/refusal.ts';
import type { Flag } from '../../domain/tasks/flag.ts';
import { stateName, stateWord } from '../../domain/tasks/status.ts';
import type { Task } from '../../domain/tasks/task.ts';
import { requireStorable } from '../../domain/text/text.ts';
import { appendEvents } from '../../store/events.ts';
import { closeFlag, findFlag, newestFlags, openFlags } from '../../store/tasks/flags.ts';
import type { Queue } from '../queue.ts';
import { requireTask } from '../require.ts';
import { resumeTask } from './answer.ts';
import { publicTask } from './list.ts';

/** Open ones: those that block first, then the oldest. With `all`, also closed ones, newest first. */
export const listFlags = (queue: Queue, most: number, { all = false } = {}): Promise<Flag[]> =>
  queue.store.read((db) => (all ? newestFlags(db, most) : openFlags(db, most)));

/** `resumed`: the task that waited for it and goes on now. */
type ClosedFlag = { flag: Flag; resumed: Task | null };

/** The same on every screen. */
export function closedMessage({ flag: { id }, resumed }: ClosedFlag, now: number): string {
  if (resumed === null) return `Closed F${id}.`;
  return `Closed F${id}; #${resumed.id} ${resumed.title} is ${stateName(stateWord(resumed, now, false))}.`;
}

/** Closes all of them or none. `note`: for the next session of a task that waited. */
export function closeFlags(
  queue: Queue,
  ids: readonly number[],
  { note = '', verify = false }: { note?: string; verify?: boolean } = {},
): Promise<ClosedFlag[]> {
  const at = queue.now();
  requireStorable('note', note);
  return queue.store.write(async (db) => {
    const closed: ClosedFlag[] = [];
    for (const id of new Set(ids)) {
      const flag = await findFlag(db, id);
      if (flag === null) throw new Refusal(`There is no flag ${id}; ralph flag list shows the open ones.`);
      if (flag.closed !== null)
        throw new Refusal(`Flag ${id} is closed already; ralph flag list shows the open ones.`);
      await closeFlag(db, id, note.trim() === '' ? null : note.trim(), at);
      await appendEvents(db, [{ at, kind: 'flag.closed', task_id: flag.task_id, data: { flag: id } }]);
      const isResumed = await resumeTask(db, flag.task_id, { verify, at });
      closed.push({
        flag: { ...flag, closed: at },
        resumed: isResumed ? publicTask(await requireTask(db, flag.task_id)) : null,
      });
    }
    return closed;
  });
}
