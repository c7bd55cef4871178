// The record of the commands that a person has trusted. It is outside every repository, so a clone cannot contain one.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileWhole } from '../files/write-file.ts';

type TrustRecord = {
  /** The path of a project, or the value of its commands where those name their repository. */
  project: string;
  lines: readonly string[];
  at: string;
  /** Present if it was given beside a run and no later run has shown it yet: what was trusted before. */
  before?: readonly string[];
};

/** What a person allowed while a run was at work. */
type TrustNotice = { at: number; added: readonly string[]; gone: readonly string[] };

/** Names exactly these commands, for an unattended machine. */
export const trustValue = (lines: readonly string[]): string => `sha256:${hash(JSON.stringify(lines))}`;

/**
 * Whether a person has trusted exactly these commands in this project. A changed command has to be trusted again. `isShared`: the
 * commands name the repository on which machines meet, so they are the same in each of its clones here.
 */
export async function isTrusted(
  stateHome: string,
  root: string,
  lines: readonly string[],
  { isShared = false }: { isShared?: boolean } = {},
): Promise<boolean> {
  if (isShared && (await readRecord(stateHome, trustValue(lines))) !== null) return true;
  const record = await readRecord(stateHome, root);
  // Without commands there is nothing to trust. With a record, "no commands" is a change like any other.
  return record === null ? lines.length === 0 : JSON.stringify(record.lines) === JSON.stringify(lines);
}

/** `isBesideRun`: the next run tells the person of it once. */
export async function trust(
  stateHome: string,
  root: string,
  lines: readonly string[],
  { now, isBesideRun, isShared = false }: { now: number; isBesideRun: boolean; isShared?: boolean },
): Promise<void> {
  const last = await readRecord(stateHome, root);
  const before = isBesideRun ? (last?.before ?? last?.lines ?? []) : undefined;
  const at = new Date(now).toISOString();
  await writeRecord(stateHome, { project: root, lines, at, ...(before && { before }) });
  if (isShared) await writeRecord(stateHome, { project: trustValue(lines), lines, at });
}

/** Null if there is nothing to tell, or a run has told it. */
export async function takeTrustNotice(stateHome: string, root: string): Promise<TrustNotice | null> {
  const record = await readRecord(stateHome, root);
  if (record?.before === undefined) return null;
  const { before, ...rest } = record;
  await writeRecord(stateHome, rest);
  return {
    at: Date.parse(record.at),
    added: record.lines.filter((line) => !before.includes(line)),
    gone: before.filter((line) => !record.lines.includes(line)),
  };
}

async function readRecord(stateHome: string, root: string): Promise<TrustRecord | null> {
  try {
    const record: TrustRecord = JSON.parse(await readFile(recordPath(stateHome, root), 'utf8'));
    return record.project === root ? record : null;
  } catch {
    return null;
  }
}

const writeRecord = (stateHome: string, record: TrustRecord): Promise<void> =>
  writeFileWhole(recordPath(stateHome, record.project), `${JSON.stringify(record, null, 2)}\n`, {
    mode: 0o600,
  });

// One file for each project: two projects that are trusted at the same time do not overwrite each other.
const recordPath = (stateHome: string, root: string): string =>
  join(stateHome, 'ralph', 'trust', `${hash(root)}.json`);

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
