import { status } from '../queue/status.ts';
import type { UiOffice } from './office.ts';

/** Which runs are alive, and what is wrong with the project's files, which come in on the way. */
export async function surroundingsOf({ queue, isAlive, isReadOnly, sync }: UiOffice): Promise<string> {
  const trouble = isReadOnly ? null : await sync();
  const { runs } = await status(queue);
  // Those that died, too: one that began and died between two looks is news.
  return JSON.stringify({ runs: runs.map((run) => [run.id, isAlive(run)]), trouble });
}
