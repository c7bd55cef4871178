import { constants, lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { Refusal } from '../domain/refusal.ts';

/** A link in a clone can lead anywhere, and the project must not read or write its target. */
export function leavesProject(root: string, path: string): boolean {
  const place = resolvePlace(join(root, path));
  return place === null || relative(realpathSync.native(root), place).startsWith('..');
}

/** True if any part of the path is a symlink. */
export const isBehindLink = (root: string, path: string): boolean =>
  resolvePlace(join(root, path)) !== join(realpathSync.native(root), path);

export function requireOwnFile(root: string, path: string): void {
  if (leavesProject(root, path))
    throw new Refusal(`${path} is a link that leaves the project; put a file in its place.`);
}

/** A person may name a file anywhere, but a link in a clone must not lead outside the project. */
export function requireNoWayOut(root: string, full: string): void {
  const inside = relative(root, full);
  if (inside !== '' && !inside.startsWith('..')) requireOwnFile(root, inside);
}

/** The real path of a file, or of one that is not written yet; null for a dangling link, whose target a write would create. */
function resolvePlace(path: string): string | null {
  const found = lstatIfPresent(path);
  if (found === undefined) {
    const folder = resolvePlace(dirname(path));
    return folder === null ? null : join(folder, basename(path));
  }
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

/** ENOTDIR: there is nothing below a file, either. */
function lstatIfPresent(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** What readers of a session's file need of it: a file handle, or the same bytes from elsewhere. */
export type OpenedFile = {
  /** Gives less than `length` only at the end. */
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
  stat(): Promise<{ size: number; ino: number; mtimeMs: number; isFile(): boolean }>;
  close(): Promise<void>;
};

/** Null if there is no file, or none yet. */
export type OpenFile = () => Promise<OpenedFile | null>;

/**
 * Opens a file of a session, in a folder that the agent can write. A FIFO in its place would block one of Node's few threads; a
 * link could lead to a private file. Null if there is no file, or none yet.
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

/** Null if there is no file. */
export async function readSize(open: OpenFile): Promise<number | null> {
  const file = await open();
  if (file === null) return null;
  return file
    .stat()
    .then(({ size }) => size)
    .finally(() => file.close());
}

/**
 * Changes whenever the file does; null if there is none. Synchronous on purpose: it stands before most commands and every session,
 * and a stat call takes less time than starting a thread.
 */
export function fileStamp(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? null : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
}
