// The three files of a database, and their identity. A deleted or replaced file still accepts writes, which no other process reads.
import { lstatSync } from 'node:fs';

/** Inode numbers; null for a missing file. A number stays the same file's while a connection has it open. */
export type FileIdentity = {
  readonly main: bigint | null;
  readonly log: bigint | null;
  readonly index: bigint | null;
};

/** Prompts and transcripts are private: only the owner may read them. */
export const PRIVATE_FOLDER = 0o700;
export const PRIVATE_FILE = 0o600;

export const logPath = (path: string): string => `${path}-wal`;
export const indexPath = (path: string): string => `${path}-shm`;

export const inodeAt = (path: string): bigint | null =>
  lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? null;

export const identifyFiles = (path: string): FileIdentity => ({
  main: inodeAt(path),
  log: inodeAt(logPath(path)),
  index: inodeAt(indexPath(path)),
});

/** Checks the log as well: if there is a new log, writes of this connection to the old one are lost. */
export const isAt = (path: string, { main, log, index }: FileIdentity): boolean =>
  inodeAt(path) === main && inodeAt(logPath(path)) === log && inodeAt(indexPath(path)) === index;
