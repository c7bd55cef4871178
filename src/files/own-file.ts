import { constants, lstatSync, realpathSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { Refusal } from '../domain/refusal.ts';

/** A link in a clone can lead anywhere, and what it leads to is not the project's to read or to write. */
export function leavesProject(root: string, path: string): boolean {
  const place = placeOf(join(root, path));
  return place === null || relative(realpathSync.native(root), place).startsWith('..');
}

/** Whether it lies elsewhere than its path says, be it in the project. */
export const isBehindLink = (root: string, path: string): boolean =>
  placeOf(join(root, path)) !== join(realpathSync.native(root), path);

export function requireOwnFile(root: string, path: string): void {
  if (leavesProject(root, path))
    throw new Refusal(`${path} is a link that leaves the project; put a file in its place.`);
}

/** A file that a person names may lie anywhere; a link in a clone may not lead there for them. */
export function requireNoWayOut(root: string, full: string): void {
  const inside = relative(root, full);
  if (inside !== '' && !inside.startsWith('..')) requireOwnFile(root, inside);
}

/** Where it lies, or would lie once it is written; null for a link to nothing, which would be written wherever it says. */
function placeOf(path: string): string | null {
  const found = look(path);
  if (found === undefined) {
    const folder = placeOf(dirname(path));
    return folder === null ? null : join(folder, basename(path));
  }
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

/** Below a file there is nothing, either. */
function look(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/**
 * A file of a session, whose agent can write where it lies. A pipe in its place would be waited for, and the threads that wait are all that
 * there are; a link would lead to what is nobody's business. Null where there is no file, or none yet.
 */
export async function openOwnFile(path: string): Promise<FileHandle | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW).catch(
    noFile,
  );
  if (file === null || (await file.stat()).isFile()) return file;
  await file.close();
  return null;
}

/** ELOOP: a link. ENXIO: a socket. */
function noFile(error: NodeJS.ErrnoException): null {
  if (['ENOENT', 'ELOOP', 'ENXIO'].includes(error.code ?? '')) return null;
  throw error;
}
