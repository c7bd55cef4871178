// Changes below `.ralph` that wait for the person: what sessions proposed in their slots, and what changed in the checkout while
// agents were at work. Nothing of them counts before a person approves it.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type DefinitionChange,
  type DefinitionProposal,
  isHeldFile,
  PROGRESS_FILE,
  proposalFiles,
  proposalName,
} from '../../domain/definition.ts';
import { MachineFailed, Refusal } from '../../domain/refusal.ts';
import { requireOwnFile } from '../../files/own-file.ts';
import { readText } from '../../files/read-text.ts';
import { writeFileWhole } from '../../files/write-file.ts';
import { acceptFiles, beginHold, endHold, findHeld } from '../../host/definitions/accepted.ts';
import { dropProposal, listProposals } from '../../host/definitions/proposals.ts';
import { liveness } from '../../host/processes/process-identity.ts';
import { definitionFiles } from '../../project/definitions/definition-files.ts';
import { readConfig } from '../../project/read-config.ts';
import { recordDecided } from '../../queue/definitions/proposals.ts';
import { exclusively } from '../../queue/queue.ts';
import { runningRun } from '../../queue/sessions/runs.ts';
import { type Project, syncDefinitions } from '../open-project.ts';

/** The checkout first: until it is decided, nothing else can be applied. */
export async function pendingDefinitions(
  project: Pick<Project, 'root' | 'stateDir'>,
): Promise<DefinitionProposal[]> {
  const heldChanges = await findHeld(project);
  const ofCheckout = { session_id: null, task_id: null, at: 0, changes: heldChanges };
  return [...(heldChanges.length > 0 ? [ofCheckout] : []), ...(await listProposals(project.stateDir))];
}

/** `agentsCanWriteHere`: false if a sandbox keeps the agents out of the checkout. Then only the person changes its files. */
export async function whileAgentsWork<T>(
  project: Project,
  { agentsCanWriteHere, tell }: { agentsCanWriteHere: boolean; tell: (sentence: string) => void },
  work: () => Promise<T>,
): Promise<T> {
  if (!agentsCanWriteHere) return work();
  await beginHold(project);
  try {
    return await work();
  } finally {
    // The work stands. Without this, the files stay under watch until the next run has ended.
    await endHold(project, () => isAlone(project, process.pid)).catch((error: unknown) => {
      if (!(error instanceof MachineFailed)) throw error;
      tell(error.message);
    });
  }
}

/** Whether no other run is at work. */
async function isAlone({ queue }: Project, pid: number | null): Promise<boolean> {
  const run = await runningRun(queue, liveness);
  return run === null || run.pid === pid;
}

/**
 * A person should know that what they wrote does not count before they start agents. Definitions that wait are told by the run, and
 * so is Ralph's own file.
 */
export async function requireNothingHeldBeside(project: Pick<Project, 'root' | 'stateDir'>): Promise<void> {
  const definitions = [...definitionFiles(project.root), PROGRESS_FILE];
  refuseHeld((await findHeld(project)).filter(({ path }) => !definitions.includes(path)));
}

export async function requireNothingHeld(project: Pick<Project, 'root' | 'stateDir'>): Promise<void> {
  refuseHeld(await findHeld(project));
}

function refuseHeld(changes: readonly DefinitionChange[]): void {
  if (changes.length > 0)
    throw new Refusal(
      `${proposalFiles({ changes })} changed while agents were at work, and you have not approved that; look at it with: ralph approve --definitions`,
    );
}

/** Applies exactly what the person saw, or nothing. */
export async function approveDefinitions(project: Project, proposal: DefinitionProposal): Promise<void> {
  const { changes, session_id } = proposal;
  const paths = changes.map(({ path }) => path);
  if (session_id !== null) await requireNothingHeld(project);
  await exclusively(project.queue, async () => {
    await requireAsSeen(project.root, proposal);
    if (session_id !== null) await writeAll(project.root, changes, 'after');
  });
  const unaccept = await acceptFiles(project, paths);
  try {
    await readConfig(project.root);
    await syncDefinitions(project);
  } catch (error) {
    if (session_id !== null) await writeAll(project.root, changes, 'before');
    await unaccept();
    throw error;
  }
  await decided(project, proposal, true);
}

/** Drops the proposal; in the checkout the files become what they were before the agents. */
export async function rejectDefinitions(project: Project, proposal: DefinitionProposal): Promise<void> {
  if (proposal.session_id === null)
    await exclusively(project.queue, async () => {
      await requireAsSeen(project.root, proposal);
      await writeAll(project.root, proposal.changes, 'before');
    });
  await decided(project, proposal, false);
}

async function decided(project: Project, proposal: DefinitionProposal, approved: boolean): Promise<void> {
  if (proposal.session_id !== null) await dropProposal(project.stateDir, proposal.session_id);
  await recordDecided(project.queue, proposal, approved);
  // Beside a run the files stay under watch.
  await endHold(project, () => isAlone(project, null));
}

/** A person may have edited a file since, and an agent may have changed it again. */
async function requireAsSeen(root: string, { changes, session_id }: DefinitionProposal): Promise<void> {
  for (const { path, before, after } of changes) {
    if (!isHeldFile(path)) throw new Refusal(`${path} is no file that Ralph takes over.`);
    requireOwnFile(root, path);
    const now = (await readText(join(root, path), path)) ?? null;
    if (session_id === null && now !== after)
      throw new Refusal(`${path} has changed once more; look at it again. Nothing was changed.`);
    if (session_id !== null && now !== before)
      throw new Refusal(
        `${path} has changed since that session began; make the change by hand, then drop the proposal with: ralph approve --definitions ${proposalName({ session_id })} --reject`,
      );
  }
}

async function writeAll(
  root: string,
  changes: readonly DefinitionChange[],
  side: 'before' | 'after',
): Promise<void> {
  for (const { path, [side]: content } of changes) {
    if (content === null) await rm(join(root, path), { force: true });
    else await writeFileWhole(join(root, path), content);
  }
}
