import { type OwnFiles, putBackMissing, readOwnFiles } from '../host/own-files.ts';
import type { Claim } from '../queue/tasks/claim.ts';
import type { SupervisorInput } from './input.ts';

const CONFIG = '.ralph/config.yaml';

/** What an agent removed of Ralph's own is put back; a configuration that it changed counts for nothing in this run. */
export async function lookAfterFiles(
  { root, tell }: Pick<SupervisorInput, 'root' | 'tell'>,
  claim: Claim,
  before: OwnFiles,
): Promise<void> {
  const files = await putBackMissing(root, before);
  if (files.length > 0) tell({ kind: 'put_back', claim, files });
  const [then, now] = [before.get(CONFIG), readOwnFiles(root).get(CONFIG)];
  if (then !== undefined && now !== undefined && !now.equals(then)) tell({ kind: 'rules_changed', claim });
}
