// The status line as it was last computed, beside the database. It holds while no file of the database has changed: to load SQLite
// takes longer than a line that is shown all the time may take.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileWhole } from '../files/write-file.ts';
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
