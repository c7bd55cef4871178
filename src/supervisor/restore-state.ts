import { join } from 'node:path';
import { writeFileWhole } from '../files/write-file.ts';
import { findDatabase } from '../queue/queue.ts';
import type { Claim } from '../queue/tasks/claim.ts';
import type { Plan } from './agent.ts';
import type { SupervisorInput } from './input.ts';
import { PASSING } from './launch-spec.ts';

/** A session that removed the repository took Ralph's state with it: the queue comes back, and what the session was told. */
export async function lookAfterState(
  { queue, tell }: Pick<SupervisorInput, 'queue' | 'tell'>,
  claim: Claim,
  { folder, system, prompt }: Plan,
  /** How often the database had been replaced before the session. */
  replacements: number,
): Promise<void> {
  if ((await findDatabase(queue)) === replacements) return;
  await writeFileWhole(join(folder, 'system.md'), system, PASSING);
  await writeFileWhole(join(folder, 'prompt.md'), prompt, PASSING);
  tell({ kind: 'state_restored', claim });
}
