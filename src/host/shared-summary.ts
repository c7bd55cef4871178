// The counts of a shared queue as this machine last read them: for lines that must not wait for a network.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Summary } from '../domain/tasks/summary.ts';
import { writeFileWhole } from '../files/write-file.ts';
import { PRIVATE_FILE } from './private-state.ts';

const FILE = 'shared-summary.json';
/** Whoever reads the queue anyway refreshes them, and not more often than this. */
const FRESH_MS = 15_000;

const path = (stateDir: string): string => join(stateDir, FILE);

export const isSummaryFresh = (stateDir: string, now: number): boolean =>
  now - (statSync(path(stateDir), { throwIfNoEntry: false })?.mtimeMs ?? 0) < FRESH_MS;

export const storeSummary = (stateDir: string, summary: Summary, at: number): Promise<void> =>
  writeFileWhole(path(stateDir), JSON.stringify({ at, summary }), { mode: PRIVATE_FILE, isDurable: false });

/** Null if this machine has not read the queue yet. Only numbers: a terminal might obey anything else. */
export function readSummary(stateDir: string): { at: number; summary: Summary } | null {
  try {
    const { at, summary }: { at: unknown; summary: Summary } = JSON.parse(
      readFileSync(path(stateDir), 'utf8'),
    );
    const isOurs =
      typeof at === 'number' && Object.values(summary).every((count) => typeof count === 'number');
    return isOurs ? { at, summary } : null;
  } catch {
    return null;
  }
}
