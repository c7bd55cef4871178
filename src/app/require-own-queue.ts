// Refuses a shared database that belongs to another project, for instance because its address was copied.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSameProject } from '../domain/project-mark.ts';
import { Refusal } from '../domain/refusal.ts';
import { writeFileWhole } from '../files/write-file.ts';
import { readOwnMark } from '../host/git/project-mark.ts';
import { TRANSIENT } from '../host/session-folder.ts';
import { markProject, parseMark, readMark } from '../queue/project-mark.ts';
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
  const known = parseMark(mark);
  if (!isSameProject(known, own)) {
    const place = queue.store.path;
    throw new Refusal(
      `The queue at ${place} belongs to another project, which begins with commit ${known.roots[0]?.slice(0, 10)}${known.folder === own.folder ? '' : ` in ${known.folder || 'the root of its repository'}`}; give this one a schema of its own (?schema=NAME). If it is the same project after all: ralph database use '${place}' --same-project`,
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
