// The record of the commands that a person has trusted. It is outside every repository, so a clone cannot contain one.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileWhole } from '../files/write-file.ts';

type TrustRecord = { project: string; lines: readonly string[]; at: string };

/** Whether a person has trusted exactly these commands in this project. A changed command has to be trusted again. */
export async function isTrusted(stateHome: string, root: string, lines: readonly string[]): Promise<boolean> {
  try {
    const record: TrustRecord = JSON.parse(await readFile(recordPath(stateHome, root), 'utf8'));
    return record.project === root && JSON.stringify(record.lines) === JSON.stringify(lines);
  } catch {
    // Without commands there is nothing to trust. With a record, "no commands" is a change like any other.
    return lines.length === 0;
  }
}

export function trust(stateHome: string, root: string, lines: readonly string[], now: number): Promise<void> {
  const record: TrustRecord = { project: root, lines, at: new Date(now).toISOString() };
  return writeFileWhole(recordPath(stateHome, root), `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
}

// One file for each project: two projects that are trusted at the same time do not overwrite each other.
const recordPath = (stateHome: string, root: string): string =>
  join(stateHome, 'ralph', 'trust', `${createHash('sha256').update(root).digest('hex')}.json`);
