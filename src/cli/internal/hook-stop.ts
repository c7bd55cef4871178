// An agent that wants to end its turn without a closing verb is reminded of it, twice.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findPlace } from '../../app/open-project.ts';
import { isClosing } from '../../domain/sessions/signal.ts';
import { databasePath } from '../../host/project.ts';
import { sessionDir } from '../../host/session-folder.ts';
import { closeQueue, openQueue, type Queue } from '../../queue/queue.ts';
import { sessionReviews } from '../../queue/sessions/review.ts';
import { showSession } from '../../queue/sessions/sessions.ts';
import { ALLOW, type HookAnswer } from './hook.ts';

const MAX_REMINDERS = 2;

export const remindOfVerb = (root: string, session_id: string): Promise<HookAnswer> =>
  remind(root, session_id, {
    counter: 'asked',
    isReported: async (queue) => (await showSession(queue, session_id)).signals.some(isClosing),
    text: 'This session has no closing verb yet. Call done if the task is complete, partial with what remains, or stuck with the reason.\n',
  });

export const remindOfVerdict = (root: string, session_id: string, earlier: number): Promise<HookAnswer> =>
  remind(root, session_id, {
    counter: join('review', `asked-${earlier}`),
    isReported: async (queue) => (await sessionReviews(queue, session_id)).length > earlier,
    text: 'This review has no verdict yet. Call approve if the work may be merged as it is, or request_changes with what must change.\n',
  });

async function remind(
  root: string,
  session_id: string,
  {
    counter,
    isReported,
    text,
  }: { counter: string; isReported: (queue: Queue) => Promise<boolean>; text: string },
): Promise<HookAnswer> {
  const { stateDir } = await findPlace({ project: root, env: { RALPH_SESSION_ID: session_id } });
  const queue = await openQueue(databasePath(stateDir), Date.now, null, { mayCreate: false });
  try {
    if (await isReported(queue)) return ALLOW;
  } finally {
    await closeQueue(queue);
  }
  const file = join(sessionDir(stateDir, session_id), counter);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const reminders = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  if (reminders >= MAX_REMINDERS) return ALLOW;
  writeFileSync(file, String(reminders + 1));
  return { exitCode: 2, text };
}
