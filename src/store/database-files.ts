// The files of a database, and which three a connection has open: a file that was deleted or replaced still takes writes, and nobody reads them.
import { lstatSync } from 'node:fs';

/** Null for a file that was not there. A number belongs to one file for as long as a connection has it open. */
export type FileIdentity = {
  readonly main: bigint | null;
  readonly log: bigint | null;
  readonly index: bigint | null;
};

/** Only the owner may read what agents said and were told. */
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

/** The log counts as well: beside a new log, what this connection writes to the old one is lost. */
export const isAt = (path: string, { main, log, index }: FileIdentity): boolean =>
  inodeAt(path) === main && inodeAt(logPath(path)) === log && inodeAt(indexPath(path)) === index;
