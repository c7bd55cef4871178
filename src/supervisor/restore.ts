import { type OwnFiles, putBackMissing, readOwnFiles } from '../host/own-files.ts';
import { writePromptFiles } from '../host/session-folder.ts';
import { findDatabase } from '../queue/queue.ts';
import type { Claim } from '../queue/tasks/claim.ts';
import type { LaunchSpec } from './agents/agent.ts';
import type { SupervisorInput } from './input.ts';

const CONFIG = '.ralph/config.yaml';

/** Puts back Ralph's own files that the agent removed. A configuration that it changed has no effect in this run. */
export async function restoreOwnFiles(
  { root, tell }: Pick<SupervisorInput, 'root' | 'tell'>,
  claim: Claim,
  before: OwnFiles,
): Promise<void> {
  const files = await putBackMissing(root, before);
  if (files.length > 0) tell({ kind: 'put_back', claim, files });
  const [then, now] = [before.get(CONFIG), readOwnFiles(root).get(CONFIG)];
  if (then !== undefined && now !== undefined && !now.equals(then)) tell({ kind: 'rules_changed', claim });
}

/** A session that removed the repository removed Ralph's state with it: restores the queue and the session's prompt. */
export async function restoreState(
  { queue, tell }: Pick<SupervisorInput, 'queue' | 'tell'>,
  claim: Claim,
  { folder, system, prompt }: LaunchSpec,
  /** How often the database had been replaced before the session. */
  replacements: number,
): Promise<void> {
  if ((await findDatabase(queue)) === replacements) return;
  await writePromptFiles(folder, { system, prompt });
  tell({ kind: 'state_restored', claim });
}
