// Changes below `.ralph` that sessions made in their slots: kept in a file each until a person decides.
import { lstat, readdir, readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import {
  type DefinitionChange,
  type DefinitionProposal,
  isPersonsDefinition,
} from '../../domain/definition.ts';
import { writeFileWhole } from '../../files/write-file.ts';
import { git } from '../git/git.ts';
import { rawPath } from '../git/raw-path.ts';
import type { Slot } from '../slots/slot.ts';

/** A larger file is no definition; the run names it all the same. */
const MAX_BYTES = 4 * 1024 * 1024;

const proposalFolder = (stateDir: string): string => join(stateDir, 'proposals', 'definitions');
const proposalFile = (stateDir: string, session_id: string): string =>
  join(proposalFolder(stateDir), `${session_id.replace(/[^\w-]/g, '')}.json`);

/** `paths`: relative to the top of the repository. Leaves out what belongs to another project or is no plain file. */
export async function readSlotChanges(
  slot: Slot,
  base: string,
  paths: readonly string[],
): Promise<DefinitionChange[]> {
  const changes: DefinitionChange[] = [];
  for (const path of paths) {
    const own = relative(slot.root, join(slot.tree, path));
    if (!isPersonsDefinition(own)) continue;
    const after = await readPlainFile(join(slot.tree, path));
    if (after === undefined) continue;
    const { code, stdout } = await git(slot.repository, ['cat-file', 'blob', `${base}:${rawPath(path)}`], {
      answers: [128],
    });
    const before = code === 0 ? Buffer.from(stdout, 'latin1').toString('utf8') : null;
    if (before !== after) changes.push({ path: own, before, after });
  }
  return changes;
}

/** Null if there is none; undefined for a link, a folder, or a file that is too large. */
async function readPlainFile(file: string): Promise<string | null | undefined> {
  const found = await lstat(file).catch(() => null);
  if (found === null) return null;
  return found.isFile() && found.size <= MAX_BYTES ? readFile(file, 'utf8') : undefined;
}

export const saveProposal = (
  stateDir: string,
  proposal: DefinitionProposal & { session_id: string },
): Promise<void> =>
  writeFileWhole(proposalFile(stateDir, proposal.session_id), `${JSON.stringify(proposal)}\n`, {
    mode: 0o600,
  });

/** The oldest first. */
export async function listProposals(stateDir: string): Promise<DefinitionProposal[]> {
  const names = await readdir(proposalFolder(stateDir)).catch(() => []);
  const texts = await Promise.all(
    names
      .filter((name) => name.endsWith('.json'))
      .map((name) => readFile(join(proposalFolder(stateDir), name), 'utf8')),
  );
  return texts.flatMap(parseProposal).sort((a, b) => a.at - b.at);
}

/** None if the file is damaged. */
function parseProposal(text: string): DefinitionProposal[] {
  try {
    const proposal: DefinitionProposal = JSON.parse(text);
    return Array.isArray(proposal.changes) ? [proposal] : [];
  } catch {
    return [];
  }
}

export const dropProposal = (stateDir: string, session_id: string): Promise<void> =>
  rm(proposalFile(stateDir, session_id), { force: true });
