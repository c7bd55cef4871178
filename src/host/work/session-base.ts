// The base of a session: the work tree before the task's work, stored beside the session's prompt. The commit of the task is
// the difference to it.
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
import { sessionDir } from '../session-folder.ts';

export type SessionBase = TakenTree & {
  /** The tree when Ralph last saw the task's own work in it; later changes are not the task's. Absent while an agent works. */
  left?: string;
  /** HEAD when Ralph took the tree that the gates saw. */
  judged_head?: string | null;
  /** Paths in which the task and a person changed the same lines. */
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

/** For a base that a ref holds already. */
export const writeBaseFile = (place: Place, session_id: string, base: SessionBase): Promise<void> =>
  writeFileWhole(baseFile(place, session_id), JSON.stringify(base), { mode: PRIVATE_FILE });

/** Null without git, or without a record of it. */
export async function readBase(
  place: Pick<Place, 'stateDir'>,
  session_id: string,
): Promise<SessionBase | null> {
  return readRecord(baseFile(place, session_id));
}

/** From here on an agent is at work: changes in the tree may be its work. */
export async function openBase(
  place: Place,
  session: { session_id: string; task_id: number },
): Promise<void> {
  const { left, ...base } = (await readBase(place, session.session_id)) ?? {};
  if (left !== undefined && 'tree' in base) await writeBase(place, session, base);
}

/** Asks the person about new files that Ralph cannot commit: without them the proof would not hold in a clone. */
export function requireCommittable(task_id: number, base: TakenTree, now: TakenTree): void {
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

/** A session whose agent works in a tree. */
export type WorkingSession = Place & { session_id: string; task_id: number };

/** Records the agent's work when its Ralph was killed: later changes by a person are not the task's work. */
export async function recordLeftWork({ session_id, task_id, ...place }: WorkingSession): Promise<void> {
  const base = await readBase(place, session_id);
  if (base === null || base.left !== undefined) return;
  await holdingOffGc(place, async () => {
    const taken = await takeTree(place, base.tree);
    // A run that started meanwhile has recorded it already.
    if (taken === null || (await readBase(place, session_id))?.left !== undefined) return;
    await holdTree(place, provenRef(task_id), taken.tree);
    await writeBaseFile(place, session_id, { ...base, left: taken.tree });
  });
}
