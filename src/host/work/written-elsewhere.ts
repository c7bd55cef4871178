// Untracked files that another process has open for writing, such as the log of `nohup ralph run > run.log &`. They are no
// task's work: takeTree leaves them out, so Ralph neither commits them, nor sets them aside, nor counts them as progress. Ralph
// records them, because a file that is closed during a session would otherwise look like the session's work.
import { fstatSync, lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { namesIn, readRecord } from '../../files/read-text.ts';
import { writeFileWhole } from '../../files/write-file.ts';
import { git, headCommit } from '../git/git.ts';
import { findGit } from '../git/git-directory.ts';
import { ownFolder, type Place, withHeadIndex } from '../git/own-git.ts';
import { isRalphs, pathBytes, pathText, rawPath } from '../git/raw-path.ts';
import { PRIVATE_FILE } from '../private-state.ts';

const recordFile = (place: Place): string => join(ownFolder(place), 'written-elsewhere.json');

/** Raw paths, from the top of the work tree. */
export const writtenElsewhere = async (place: Place): Promise<ReadonlySet<string>> =>
  new Set((await readRecord<string[]>(recordFile(place))) ?? []);

export type ElsewhereFiles = {
  /** All of them, as paths for a person. */
  files: readonly string[];
  /** Whether the record has changed. */
  isChanged: boolean;
};

const NOTHING: ElsewhereFiles = { files: [], isChanged: false };

/**
 * Processes whose files Ralph has checked. Later checks skip them, because reading every open file of a machine takes long.
 * Processes in the project are never skipped: a server there may open another log at any time.
 */
export type SeenProcesses = Set<string>;

/** Call it before the first base of a run: a file that no process has open any more is an ordinary file again. */
export async function noteWrittenElsewhere(place: Place, seen: SeenProcesses): Promise<ElsewhereFiles> {
  if (findGit(place.root) === null) return NOTHING;
  return update(place, await writtenElsewhere(place), await openForWriting(place, seen));
}

/** Call it after a session, before its work is judged. Files of the base and files that its own tools wrote stay in the work. */
export async function noteWrittenMeanwhile(
  place: Place,
  seen: SeenProcesses,
  { base, files }: { base: string | null; files: readonly string[] },
): Promise<ElsewhereFiles> {
  const found = findGit(place.root);
  if (found === null) return NOTHING;
  const known = await writtenElsewhere(place);
  const own = new Set(files.map((file) => rawPath(isAbsolute(file) ? relative(found.worktree, file) : file)));
  const fresh = (await openForWriting(place, seen)).filter((path) => !known.has(path) && !own.has(path));
  const old = fresh.length === 0 ? new Set<string>() : await listPaths(place, base);
  return update(place, known, [...known, ...fresh.filter((path) => !old.has(path))]);
}

async function update(
  place: Place,
  known: ReadonlySet<string>,
  paths: readonly string[],
): Promise<ElsewhereFiles> {
  const isChanged = known.size !== paths.length || paths.some((path) => !known.has(path));
  if (isChanged && paths.length === 0) await rm(recordFile(place), { force: true });
  else if (isChanged) await writeFileWhole(recordFile(place), JSON.stringify(paths), { mode: PRIVATE_FILE });
  return { files: paths.map(pathText), isChanged };
}

async function listPaths(place: Place, tree: string | null): Promise<ReadonlySet<string>> {
  if (tree === null) return new Set();
  const { stdout } = await git(place, ['ls-tree', '-r', '-z', '--name-only', '--full-tree', tree]);
  return new Set(stdout.split('\0'));
}

/** Asks git only if a process has a file below the work tree open for writing, which is rare. */
async function openForWriting(place: Place, seen: SeenProcesses): Promise<string[]> {
  const worktree = findGit(place.root)?.worktree ?? place.root;
  const own = seen.size === 0 ? ownOutputs() : new Set<string>();
  const open = openBelow(worktree, seen);
  if (open.size === 0 && own.size === 0) return [];
  const untracked = await withHeadIndex(place, await headCommit(place), async (index) => {
    const { stdout } = await git(index, ['ls-files', '-z', '--others', '--exclude-standard']);
    return stdout.split('\0').slice(0, -1);
  });
  return untracked.filter(
    (path) => !isRalphs(path) && (open.has(path) || own.has(fileIdentity(worktree, path))),
  );
}

/** Empty without /proc: then Ralph knows only the files of its own output. */
function openBelow(worktree: string, seen: SeenProcesses): Set<string> {
  const top = `${rawPath(worktree)}/`;
  const found = new Set<string>();
  const fresh = namesIn('/proc').filter((name) => /^\d+$/.test(name) && !seen.has(name));
  for (const pid of fresh) {
    if (!`${readLink(`/proc/${pid}/cwd`)}/`.startsWith(top)) seen.add(pid);
    for (const fd of namesIn(`/proc/${pid}/fd`)) {
      const path = readLink(`/proc/${pid}/fd/${fd}`);
      const name = path.startsWith(top) ? path.slice(top.length) : '';
      if (name !== '' && !name.startsWith('.git/') && !isRalphs(name) && isWriting(pid, fd)) found.add(name);
    }
  }
  return found;
}

function readLink(path: string): string {
  try {
    return readlinkSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** The last octal digit of the flags is the access mode: 0 is read-only. */
function isWriting(pid: string, fd: string): boolean {
  try {
    return /^flags:\s*\d*[12]$/m.test(readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8'));
  } catch {
    return false;
  }
}

function ownOutputs(): Set<string> {
  const found = new Set<string>();
  for (const fd of [1, 2])
    try {
      const stat = fstatSync(fd);
      if (stat.isFile()) found.add(`${stat.dev}:${stat.ino}`);
    } catch {
      // Closed.
    }
  return found;
}

function fileIdentity(worktree: string, path: string): string {
  const stat = lstatSync(Buffer.concat([Buffer.from(`${worktree}/`), pathBytes(path)]), {
    throwIfNoEntry: false,
  });
  return stat === undefined ? '' : `${stat.dev}:${stat.ino}`;
}
