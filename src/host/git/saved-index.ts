// Saves the person's index before a session: an agent that commits would also commit what the person had staged.
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { GitFailed, git, gitLine, headCommit, treeOfCommit } from './git.ts';
import { findGit } from './git-directory.ts';
import { copyIndex, newScratchFile, ownFolder, type Place, scratchFolder } from './own-git.ts';
import { changesBetween, formatEntry, GONE, parseChanges } from './tree-changes.ts';

const PREFIX = 'index-before-';

const savedFile = (place: Place, session_id: string): string =>
  join(ownFolder(place), `${PREFIX}${session_id}`);

/** Keeps one for each work tree: the index of an earlier session is of no more use. */
export async function saveIndex(place: Place, session_id: string): Promise<void> {
  const found = findGit(place.root);
  if (found === null) return;
  const folder = ownFolder(place);
  await mkdir(folder, { recursive: true });
  const earlier = (await readdir(folder)).filter((name) => name.startsWith(PREFIX));
  await Promise.all(earlier.map((name) => rm(join(folder, name), { force: true })));
  await copyIndex(join(found.gitDir, 'index'), savedFile(place, session_id));
}

/** Restores the saved index plus what is staged on top of the agent's last commit. False if nothing was saved. */
export async function restoreIndex(place: Place, session_id: string, head: string): Promise<boolean> {
  const found = findGit(place.root);
  const saved = savedFile(place, session_id);
  if (found === null || !existsSync(saved)) return false;
  const listed = await git(place, ['diff-index', '--cached', '-z', '--no-renames', head]);
  const staged = parseChanges(listed.stdout).filter(({ mode, hash }) => mode === GONE || !/^0+$/.test(hash));
  const index = await newScratchFile(scratchFolder(place));
  try {
    await copyIndex(saved, index);
    if (staged.length > 0)
      await git({ ...place, overrides: { GIT_INDEX_FILE: index } }, ['update-index', '-z', '--index-info'], {
        input: staged.map(formatEntry).join(''),
      });
    await replace(join(found.gitDir, 'index'), await readFile(index));
    return true;
  } finally {
    await rm(index, { force: true });
  }
}

/**
 * Unstages what was staged since the session began. That is the agent's: the files hold it as well, and later it would look like
 * a person's. If another process changes the index meanwhile, nothing happens.
 */
export async function unstageSince(place: Place, session_id: string): Promise<void> {
  const found = findGit(place.root);
  const saved = savedFile(place, session_id);
  if (found === null || !existsSync(saved)) return;
  const index = join(found.gitDir, 'index');
  const head = await headCommit(place);
  const [then, now] = await Promise.all([readFile(saved), readFile(index).catch(() => null)]);
  if (now === null || then.equals(now)) return;
  const copy = await newScratchFile(scratchFolder(place));
  const own = { ...place, overrides: { GIT_INDEX_FILE: copy } };
  try {
    await copyIndex(saved, copy);
    const before = await gitLine(own, ['write-tree']);
    await writeFile(copy, now);
    const after = await gitLine(own, ['write-tree']);
    // An entry that matches HEAD is not staged: a person committed it, or came back from another branch.
    const open = await changesBetween(place, await treeOfCommit(place, head), after);
    const isOpen = new Set(open.map(({ path }) => path));
    const staged = (await changesBetween(place, after, before)).filter(({ path }) => isOpen.has(path));
    if (staged.length === 0) return;
    await git(own, ['update-index', '-z', '--index-info'], { input: staged.map(formatEntry).join('') });
    const isAsSeen = async (): Promise<boolean> =>
      (await headCommit(place)) === head && now.equals(await readFile(index));
    await replace(index, await readFile(copy), isAsSeen);
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
  } finally {
    await rm(copy, { force: true });
  }
}

const TRIES = 20;
const PAUSE_MS = 50;

/** Replaces the index like git: only the process that made the lock may write. `mayStill` is checked under the lock. */
async function replace(
  index: string,
  content: Buffer,
  mayStill: () => Promise<boolean> = async () => true,
): Promise<void> {
  const lock = `${index}.lock`;
  for (let tries = 1; ; tries++) {
    const file = await open(lock, 'wx').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      return null;
    });
    if (file !== null) {
      try {
        await file.writeFile(content);
        await file.sync();
        if (await mayStill()) await rename(lock, index);
      } finally {
        await file.close();
        await rm(lock, { force: true });
      }
      return;
    }
    if (tries === TRIES) throw new GitFailed('Another git holds the index; wait until it is done.');
    await pause(PAUSE_MS);
  }
}
