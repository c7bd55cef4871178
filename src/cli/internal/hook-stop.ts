// Whoever wants to end its turn without having said how it went is asked for that, twice.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findPlace } from '../../app/find-place.ts';
import { isClosing } from '../../domain/sessions/signal.ts';
import { databasePath, sessionDir } from '../../host/project.ts';
import { closeQueue, openQueue, type Queue } from '../../queue/queue.ts';
import { reviewsOf } from '../../queue/sessions/review.ts';
import { showSession } from '../../queue/sessions/session.ts';
import { type HookAnswer, LET_GO } from './hook.ts';

const ASKED_AT_MOST = 2;

export const askForVerb = (root: string, session_id: string): Promise<HookAnswer> =>
  askFor(root, session_id, {
    counter: 'asked',
    isSaid: async (queue) => (await showSession(queue, session_id)).signals.some(isClosing),
    text: 'This session has no closing verb yet. Call done if the task is complete, partial with what remains, or stuck with the reason.\n',
  });

export const askForVerdict = (root: string, session_id: string, earlier: number): Promise<HookAnswer> =>
  askFor(root, session_id, {
    counter: join('review', `asked-${earlier}`),
    isSaid: async (queue) => (await reviewsOf(queue, session_id)).length > earlier,
    text: 'This review has no verdict yet. Call approve if the work may be merged as it is, or request_changes with what must change.\n',
  });

async function askFor(
  root: string,
  session_id: string,
  { counter, isSaid, text }: { counter: string; isSaid: (queue: Queue) => Promise<boolean>; text: string },
): Promise<HookAnswer> {
  const { stateDir } = await findPlace({ project: root, env: { RALPH_SESSION_ID: session_id } });
  const queue = await openQueue(databasePath(stateDir), Date.now, null, { mayCreate: false });
  try {
    if (await isSaid(queue)) return LET_GO;
  } finally {
    await closeQueue(queue);
  }
  const file = join(sessionDir(stateDir, session_id), counter);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const asked = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  if (asked >= ASKED_AT_MOST) return LET_GO;
  writeFileSync(file, String(asked + 1));
  return { exitCode: 2, text };
}
