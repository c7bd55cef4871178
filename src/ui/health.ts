import { isReplaced } from '../queue/queue.ts';
import { status } from '../queue/tasks/status.ts';
import { seenMark } from './actions/definitions.ts';
import type { UiBackend } from './backend.ts';

/** Which runs are alive, and what is wrong with the project. Applies changed definition files on the way. */
export async function checkSurroundings(backend: UiBackend): Promise<string> {
  const trouble = await findTrouble(backend);
  const { runs } = await status(backend.queue);
  const definitions = (await backend.definitions.pending()).map(seenMark);
  // Dead runs count, too: a page must hear of one that began and died between two checks.
  return JSON.stringify({ runs: runs.map((run) => [run.id, backend.isAlive(run)]), trouble, definitions });
}

const REPLACED =
  'The database of this project was deleted or replaced. You see its old content, and nothing can be changed. Stop ralph ui with Ctrl-C and start it again.';

/** Why the pages may not show the current state, in a sentence. Applies changed definition files on the way. */
export async function findTrouble({
  queue,
  sync,
}: Pick<UiBackend, 'queue' | 'sync'>): Promise<string | null> {
  if (isReplaced(queue)) return REPLACED;
  const { refusal, note } = await sync();
  return refusal ?? note;
}
