// What the work tree held before a task's work, kept beside the session's prompt: so that its commit holds its own work and nothing else.
import { join } from 'node:path';
import { NeedsPerson } from '../../domain/refusal.ts';
import { readRecord } from '../../files/read-text.ts';
import { writeFileWhole } from '../../files/write-file.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import type { Place } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { baseRef, holdTree, provenRef } from '../git/refs.ts';
import { type Change, isRepositoryLink } from '../git/tree-changes.ts';
import { type LeftOut, MAX_FILE_MB, type TakenTree, takeTree } from '../git/work-tree.ts';
import { PRIVATE_FILE } from '../private-state.ts';
import { sessionDir } from '../project.ts';

export type SessionBase = TakenTree & {
  /** The tree when the task's own work was last seen in it; what differs from it is not the task's. None while an agent works. */
  left?: string;
  /** Paths in which the task and somebody else changed the same lines. */
  mixed?: readonly string[];
};

const baseFile = ({ stateDir }: Pick<Place, 'stateDir'>, session_id: string): string =>
  join(sessionDir(stateDir, session_id), 'base.json');

export async function writeBase(
  place: Place,
  { session_id, task_id }: { session_id: string; task_id: number },
  base: SessionBase,
): Promise<void> {
  await holdTree(place, baseRef(task_id), base.tree);
  await writeBaseFile(place, session_id, base);
}

/** Of a base that a ref holds already. */
export const writeBaseFile = (place: Place, session_id: string, base: SessionBase): Promise<void> =>
  writeFileWhole(baseFile(place, session_id), JSON.stringify(base), { mode: PRIVATE_FILE });

/** Null without git, or without a record of it. */
export async function readBase(
  place: Pick<Place, 'stateDir'>,
  session_id: string,
): Promise<SessionBase | null> {
  return readRecord(baseFile(place, session_id));
}

/** From here on an agent is at work: what changes in the tree may be its work. */
export async function openBase(
  place: Place,
  session: { session_id: string; task_id: number },
): Promise<void> {
  const { left, ...base } = (await readBase(place, session.session_id)) ?? {};
  if (left !== undefined && 'tree' in base) await writeBase(place, session, base);
}

/** Asks the person about what came since and cannot be committed: as it is, the proof would not hold in a clone. */
export function requireKeepable(task_id: number, base: TakenTree, now: TakenTree): void {
  const known = new Set(base.left_out.map(({ path, why }) => `${why} ${path}`));
  const [found] = now.left_out.filter(({ path, why }) => !known.has(`${why} ${path}`));
  if (found !== undefined)
    throw new NeedsPerson(
      `Task ${task_id} left ${leftOutText(found)}; then answer this question to try the task again.`,
    );
  for (const path of Object.keys({ ...base.submodules, ...now.submodules }))
    if (base.submodules[path] !== now.submodules[path])
      throw new NeedsPerson(
        `Task ${task_id} changed files inside the submodule ${pathText(path)}, and Ralph commits nothing there. Commit them there yourself or undo them; then answer this question to try the task again.`,
      );
}

export function requireNoLinks(task_id: number, changes: readonly Change[]): void {
  const link = changes.find(isRepositoryLink);
  if (link !== undefined)
    throw new NeedsPerson(
      `Task ${task_id} moved the submodule ${pathText(link.path)} to another commit, and Ralph does not commit that. Commit it yourself or undo it; then answer this question to try the task again.`,
    );
}

function leftOutText({ path, why, bytes }: LeftOut): string {
  const name = pathText(path);
  switch (why) {
    case 'repository':
      return `a git repository of its own in ${name}, and a commit cannot hold its files. Remove ${name}/.git, make it a submodule or delete it`;
    case 'size':
      return `${name} (${(bytes / 2 ** 20).toFixed(0)} MB), and Ralph commits no file over ${MAX_FILE_MB} MB. Name it in .gitignore, delete it or commit it yourself`;
    case 'unreadable':
      return `${name}, which Ralph may not read. Make it readable or delete it`;
  }
}
// What an agent had made when its Ralph was killed: whatever a person changes after that is not the task's work.

/** A session whose agent works in a tree. */
export type Working = Place & { session_id: string; task_id: number };

export async function recordLeftWork({ session_id, task_id, ...place }: Working): Promise<void> {
  const base = await readBase(place, session_id);
  if (base === null || base.left !== undefined) return;
  await holdingOffGc(place, async () => {
    const taken = await takeTree(place, base.tree);
    // A run that was started meanwhile has seen to it.
    if (taken === null || (await readBase(place, session_id))?.left !== undefined) return;
    await holdTree(place, provenRef(task_id), taken.tree);
    await writeBaseFile(place, session_id, { ...base, left: taken.tree });
  });
}
