// Refuses to make a slot that would fill the disk, before anything of it is written.
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { MachineFailed } from '../../domain/refusal.ts';
import { diskSize } from '../../domain/text/amounts.ts';
import { type Git, GitFailed, git } from '../git/git.ts';
import type { Slot } from './slot.ts';
import { largestReadySize } from './slot-size.ts';

/** For what a session writes, and for the disk not to be full at once. */
const SPARE_BYTES = 200_000_000;

/** `tree`: what the slot is to hold. `free`: the bytes that are free for a folder; null if the system does not tell. */
export async function requireSpace(
  { folder, repository }: Pick<Slot, 'folder' | 'repository'>,
  tree: string,
  free: (folder: string) => Promise<number | null> = freeBytes,
): Promise<void> {
  const slots = dirname(folder);
  const left = await free(slots);
  if (left === null) return;
  const [written, ready] = await Promise.all([checkoutBytes(repository, tree), largestReadySize(slots)]);
  const needed = Math.max(written, ready) + SPARE_BYTES;
  if (left >= needed) return;
  throw new MachineFailed(
    `A slot needs about ${diskSize(needed)}, and ${slots} has only ${diskSize(left)} left; ${MAKE_ROOM}.`,
  );
}

const MAKE_ROOM =
  'free some, remove old slots with ralph slots clean, or name another folder as slots.folder';

/** A write to a full disk, or beyond a quota. Of a setup that fails nobody knows which disk it filled. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof GitFailed
    ? /no space left on device|disk quota exceeded/i.test(error.message)
    : [error, (error as Error).cause].some((one) =>
        ['ENOSPC', 'EDQUOT'].includes((one as NodeJS.ErrnoException | undefined)?.code ?? ''),
      );

export const diskFull = ({ folder }: Pick<Slot, 'folder'>, cause: unknown): MachineFailed =>
  new MachineFailed(`The disk of ${dirname(folder)} is full, so Ralph made no slot there; ${MAKE_ROOM}.`, {
    cause,
  });

/** Most file systems give a file whole blocks of this size. */
const BLOCK_BYTES = 4_096;

/** A very large repository that is not in memory yet. */
const LIST_TIMEOUT_MS = 600_000;

/** Git knows the sizes without reading the files. */
async function checkoutBytes(repository: Git, tree: string): Promise<number> {
  const asked = ['ls-tree', '--full-tree', '-r', '-t', '-z', '--format=%(objectsize)', tree];
  const { stdout } = await git(repository, asked, { timeoutMs: LIST_TIMEOUT_MS });
  // A folder has no size here, and takes a block.
  const blocks = (size: string): number => Math.ceil(Number(size === '-' ? 1 : size) / BLOCK_BYTES);
  return stdout.split('\0').reduce((sum, size) => sum + blocks(size) * BLOCK_BYTES, 0);
}

/** Of the nearest folder that exists. */
async function freeBytes(folder: string): Promise<number | null> {
  const found = await statfs(folder).catch(() => null);
  if (found !== null) return found.bavail * found.bsize;
  return dirname(folder) === folder ? null : freeBytes(dirname(folder));
}
