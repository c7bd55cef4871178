// A done that changed nothing is refused while the agent is still there: it can do the work, or say why none is needed.

import { Refusal } from '../domain/refusal.ts';
import { NO_CHANGE_REFUSED } from '../domain/sessions/no-change.ts';
import type { SignalOf } from '../domain/sessions/signal.ts';
import { hindranceIn, noChange } from '../queue/sessions/finish.ts';
import { taskOfSession } from '../queue/sessions/live-session.ts';
import { sessionOf } from './client-state.ts';
import type { ToolContext } from './tool.ts';

export async function requireChange(
  { queue, desk, machine }: ToolContext,
  done: SignalOf<'done'>,
): Promise<void> {
  const session_id = sessionOf(desk);
  const task = await queue.store.read((db) => taskOfSession(db, session_id));
  if (task === null || (await noChange(queue, task, done))?.kind !== 'unexplained') return;
  let isUnchanged = false;
  // Where git fails nobody can tell; the finish looks again.
  await hindranceIn(async () => {
    isUnchanged = await machine.looksUnchanged(session_id);
  });
  if (isUnchanged) throw new Refusal(`Nothing was recorded. ${NO_CHANGE_REFUSED}`);
}
