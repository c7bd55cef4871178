import { status } from '../queue/tasks/status.ts';
import type { UiOffice } from './backend.ts';
import { troubleOf } from './trouble.ts';

/** Which runs are alive, and what is wrong with the project, whose files come in on the way. */
export async function surroundingsOf(office: UiOffice): Promise<string> {
  const trouble = await troubleOf(office);
  const { runs } = await status(office.queue);
  // Those that died, too: one that began and died between two looks is news.
  return JSON.stringify({ runs: runs.map((run) => [run.id, office.isAlive(run)]), trouble });
}
