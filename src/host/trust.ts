// The record of what a person agreed to execute. It lives outside of every repository, so a clone cannot bring one along.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileWhole } from '../files/write-file.ts';

type TrustRecord = { project: string; lines: readonly string[]; at: string };

/** The same commands in the same project, said yes to before. A changed command is a new question. */
export async function isTrusted(stateHome: string, root: string, lines: readonly string[]): Promise<boolean> {
  try {
    const record: TrustRecord = JSON.parse(await readFile(recordPath(stateHome, root), 'utf8'));
    return record.project === root && JSON.stringify(record.lines) === JSON.stringify(lines);
  } catch {
    // Nothing to run needs no word of anybody; but where somebody allowed gates, none at all is a change.
    return lines.length === 0;
  }
}

export function trust(stateHome: string, root: string, lines: readonly string[], now: number): Promise<void> {
  const record: TrustRecord = { project: root, lines, at: new Date(now).toISOString() };
  return writeFileWhole(recordPath(stateHome, root), `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
}

// One file a project: two projects trusted at the same time do not overwrite each other.
const recordPath = (stateHome: string, root: string): string =>
  join(stateHome, 'ralph', 'trust', `${createHash('sha256').update(root).digest('hex')}.json`);
