// A plan that the person has not applied yet: it was paid for, so Ralph keeps it until then.
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Proposal } from '../domain/planning/proposal.ts';
import { Refusal } from '../domain/refusal.ts';
import { writeFileWhole } from '../files/write-file.ts';
import { planningDir } from '../host/session-folder.ts';

type SavedProposal = { session_id: string; proposal: Proposal };

const proposalPath = (stateDir: string, session_id: string): string =>
  join(planningDir(stateDir, session_id), 'proposal.json');

export const saveProposal = (stateDir: string, { session_id, proposal }: SavedProposal): Promise<void> =>
  writeFileWhole(proposalPath(stateDir, session_id), JSON.stringify(proposal), { mode: 0o600 });

export const dropProposal = (stateDir: string, session_id: string): Promise<void> =>
  rm(proposalPath(stateDir, session_id), { force: true });

/** By the session's id, or by a prefix that only one has. */
export async function readSavedProposal(stateDir: string, name: string): Promise<SavedProposal> {
  const [session_id, second] = await findPlannings(stateDir, name);
  const text =
    session_id === undefined || second !== undefined
      ? null
      : await readFile(proposalPath(stateDir, session_id), 'utf8').catch(() => null);
  if (session_id === undefined || text === null)
    throw new Refusal(
      second === undefined
        ? `There is no plan "${name}" to apply; make one: ralph plan --dry-run`
        : `More than one plan begins with "${name}"; give more of its id.`,
    );
  return { session_id, proposal: JSON.parse(text) };
}

export const findPlannings = async (stateDir: string, name: string): Promise<string[]> =>
  (await readdir(join(stateDir, 'planning')).catch(() => [])).filter(
    (one) => name !== '' && one.startsWith(name),
  );
