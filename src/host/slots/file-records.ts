// What a folder holds, as one record a file that no program without privileges can keep as it is while it changes the file: the
// system sets the time of the last change (ctime), and a new file has another inode.
import { createHash } from 'node:crypto';
import {
  type BigIntStats,
  createReadStream,
  lstatSync,
  readdirSync,
  readlinkSync,
  rmdirSync,
  unlinkSync,
} from 'node:fs';
import { lstat, rm, writeFile } from 'node:fs/promises';
import { setImmediate as otherWork, setTimeout as pause } from 'node:timers/promises';
import { pathBytes, rawPath } from '../git/raw-path.ts';

/** By raw path, relative to the folder. */
export type FileRecords = Map<string, string>;

/** Text is faster, where it means the same. */
export const systemPath = (root: string, path: string): string | Buffer =>
  /^[\x00-\x7f]*$/.test(path) ? `${root}/${path}` : pathBytes(`${rawPath(root)}/${path}`);

/** Calls of the system are ten times as fast without a promise each; others get their turn after so many. */
const FILES_A_TURN = 2_000;

/** Everything at and below these paths. */
export async function recordFiles(root: string, starts: readonly string[]): Promise<FileRecords> {
  const records: FileRecords = new Map();
  const waiting = starts.map((path) => path.replace(/\/$/, ''));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const found = lstatSync(systemPath(root, path), { bigint: true, throwIfNoEntry: false });
    if (found === undefined || records.has(path)) continue;
    if (path !== '') records.set(path, fileRecord(root, path, found));
    if (found.isDirectory())
      for (const name of readdirSync(systemPath(root, path), { encoding: 'latin1' }))
        waiting.push(path === '' ? name : `${path}/${name}`);
    if (records.size % FILES_A_TURN === 0) await otherWork();
  }
  return records;
}

/** Package managers share files of several slots by hard links, and each new name of a file changes its ctime. */
const SHARED = ' shared';

function fileRecord(root: string, path: string, found: BigIntStats): string {
  // The times of a folder change with every file in it, and its files have records of their own.
  if (found.isDirectory()) return `folder ${found.mode}`;
  if (found.isSymbolicLink()) return `link ${readlinkSync(systemPath(root, path), { encoding: 'latin1' })}`;
  const { mode, size, ino, ctimeNs, nlink } = found;
  return `file ${mode} ${size} ${ino} ${ctimeNs}${found.isFile() && nlink > 1n ? SHARED : ''}`;
}

/** With the content of shared files, to compare them once their ctime has changed. */
export async function withContents(root: string, records: FileRecords): Promise<FileRecords> {
  const full: FileRecords = new Map(records);
  for (const [path, record] of records)
    if (record.endsWith(SHARED)) full.set(path, `${record} ${await hashFile(root, path)}`);
  return full;
}

async function hashFile(root: string, path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(systemPath(root, path))) hash.update(chunk);
  return hash.digest('hex');
}

/** `now`: without contents. */
export async function isSameFile(
  root: string,
  path: string,
  before: string,
  now: string | undefined,
): Promise<boolean> {
  if (now === undefined) return false;
  const [record, content] = before.split(`${SHARED} `);
  const plain = now.endsWith(SHARED) ? now.slice(0, -SHARED.length) : now;
  if (plain === record) return true;
  const withoutTime = (text: string): string => text.split(' ').slice(0, 4).join(' ');
  if (content === undefined || withoutTime(plain) !== withoutTime(record ?? '')) return false;
  return (await hashFile(root, path)) === content;
}

/** Folders that still hold something stay. */
export function removeFiles(root: string, paths: readonly string[]): void {
  // What is below a folder comes before it.
  for (const path of [...paths].sort().reverse()) {
    const full = systemPath(root, path);
    const found = lstatSync(full, { throwIfNoEntry: false });
    if (found === undefined) continue;
    try {
      if (found.isDirectory()) rmdirSync(full);
      else unlinkSync(full);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
    }
  }
}

/** Resolves once a file that is changed from now on gets a later time than every one of these. */
export async function untilLater(probe: string, records: FileRecords): Promise<void> {
  const CLOCK_STEP_MS = 2;
  // The clock may have been set back meanwhile.
  const MAX_STEPS = 500;
  let newest = 0n;
  for (const record of records.values())
    if (record.startsWith('file ')) {
      const changed = BigInt(record.split(' ')[4] ?? 0);
      if (changed > newest) newest = changed;
    }
  try {
    for (let step = 0; step < MAX_STEPS; step++) {
      await writeFile(probe, '');
      if ((await lstat(probe, { bigint: true })).ctimeNs > newest) return;
      await pause(CLOCK_STEP_MS);
    }
  } finally {
    await rm(probe, { force: true });
  }
}
