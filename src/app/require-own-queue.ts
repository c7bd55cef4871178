// Refuses a shared database that belongs to another project, for instance because its address was copied.
import { existsSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { Refusal } from '../domain/refusal.ts';
import { writeFileWhole } from '../files/write-file.ts';
import { git, headCommit } from '../host/git/git.ts';
import { findGit } from '../host/git/git-directory.ts';
import type { Place } from '../host/git/own-git.ts';
import { TRANSIENT } from '../host/session-folder.ts';
import { isSameProject, markProject, type ProjectMark, parseMark, readMark } from '../queue/project-mark.ts';
import type { Project } from './open-project.ts';

/** In the state: the mark that this clone was compared with. Git takes a second to find the first commits of a long history. */
const KNOWN = 'project-mark.json';

export async function requireOwnQueue(
  { root, stateDir, env, queue }: Pick<Project, 'root' | 'stateDir' | 'env' | 'queue'>,
  { isJoined = false }: { isJoined?: boolean } = {},
): Promise<void> {
  if (!queue.store.isShared) return;
  const found = await readMark(queue);
  if (found !== null && found === readKnown(stateDir)) return;
  const own = await readOwnMark({ root, stateDir, env });
  if (own === null) return;
  // A role that may only read cannot mark it; another machine will.
  const mark =
    found === null || isJoined ? await markProject(queue, own, { isJoined }).catch(() => null) : found;
  if (mark === null) return;
  const queueMark = parseMark(mark);
  if (!isSameProject(queueMark, own)) {
    const place = queue.store.path;
    throw new Refusal(
      `The queue at ${place} belongs to another project, which begins with commit ${queueMark.roots[0]?.slice(0, 10)}${queueMark.folder === own.folder ? '' : ` in ${queueMark.folder || 'the root of its repository'}`}; give this one a schema of its own (?schema=NAME). If it is the same project after all: ralph database use '${place}' --same-project`,
    );
  }
  await writeFileWhole(join(stateDir, KNOWN), mark, TRANSIENT).catch(() => {});
}

function readKnown(stateDir: string): string | null {
  try {
    return readFileSync(join(stateDir, KNOWN), 'utf8');
  } catch {
    return null;
  }
}

/** Null without a commit, and in a shallow clone: it does not have the first commits. */
async function readOwnMark(place: Place): Promise<ProjectMark | null> {
  const found = findGit(place.root);
  if (found === null || existsSync(join(found.commonDir, 'shallow'))) return null;
  if ((await headCommit(place)) === null) return null;
  const { stdout } = await git(place, ['rev-list', '--max-parents=0', 'HEAD']);
  const folder = relative(found.worktree, place.root).split(sep).join('/');
  return { roots: stdout.trim().split('\n').sort(), folder };
}
