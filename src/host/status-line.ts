// The status line as it was last computed, beside the database. It holds while no file of the database has changed: to load SQLite
// takes longer than a line that is shown all the time may take.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Summary } from '../domain/tasks/summary.ts';
import { writeFileWhole } from '../files/write-file.ts';
import { PRIVATE_FILE } from './private-state.ts';
import { databasePath } from './project.ts';

const FILE = 'statusline.json';
/** Tasks also become ready by time alone. */
const HOLDS_MS = 30_000;
/** What Ralph writes: words and numbers. Anything else in the file is not from Ralph, and a terminal might obey it. */
const LINE = /^[\w ·:/,]{0,200}$/;

/** Changes with every commit to the database. */
export const databaseStamp = (stateDir: string): string =>
  ['', '-wal']
    .map((suffix) => statSync(`${databasePath(stateDir)}${suffix}`, { bigint: true, throwIfNoEntry: false }))
    .map((file) => (file === undefined ? '-' : `${file.ino}:${file.size}:${file.mtimeNs}`))
    .join(' ');

/** Null if it has to be computed. */
export function readStoredLine(stateDir: string, now: number): string | null {
  try {
    const { stamp, until, text } = JSON.parse(readFileSync(join(stateDir, FILE), 'utf8'));
    const holds = until > now && until <= now + HOLDS_MS && stamp === databaseStamp(stateDir);
    return holds && typeof text === 'string' && LINE.test(text) ? text : null;
  } catch {
    return null;
  }
}

/** `stamp`: from before the queue was read. The line is not stored if the database has changed since. */
export async function storeLine(stateDir: string, stamp: string, text: string, now: number): Promise<void> {
  if (stamp !== databaseStamp(stateDir)) return;
  const stored = JSON.stringify({ stamp, until: now + HOLDS_MS, text });
  await writeFileWhole(join(stateDir, FILE), stored, { isDurable: false });
}

// The counts of a shared queue as this machine last read them: for lines that must not wait for a network.

const SUMMARY_FILE = 'shared-summary.json';
/** A process that reads the queue anyway refreshes them, at most this often. */
const FRESH_MS = 15_000;

const summaryPath = (stateDir: string): string => join(stateDir, SUMMARY_FILE);

export const isSummaryFresh = (stateDir: string, now: number): boolean =>
  now - (statSync(summaryPath(stateDir), { throwIfNoEntry: false })?.mtimeMs ?? 0) < FRESH_MS;

export const storeSummary = (stateDir: string, summary: Summary, at: number): Promise<void> =>
  writeFileWhole(summaryPath(stateDir), JSON.stringify({ at, summary }), {
    mode: PRIVATE_FILE,
    isDurable: false,
  });

/** Null if this machine has not read the queue yet. Only numbers: a terminal might obey anything else. */
export function readSummary(stateDir: string): { at: number; summary: Summary } | null {
  try {
    const { at, summary }: { at: unknown; summary: Summary } = JSON.parse(
      readFileSync(summaryPath(stateDir), 'utf8'),
    );
    const isOurs =
      typeof at === 'number' && Object.values(summary).every((count) => typeof count === 'number');
    return isOurs ? { at, summary } : null;
  } catch {
    return null;
  }
}
