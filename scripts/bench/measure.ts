// Ratios within one run: absolute times belong to the machine, ratios to the code.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** `atMost`: the ratio must not be larger; what it is a ratio of stands in the name. */
export type BenchRow = { name: string; ratio: number; atMost: number; detail: string };

export type Bench = (folder: string) => Promise<BenchRow[]>;

type Work = () => Promise<void> | void;

/** Medians of both, taken in turns so that a slow moment of the machine hits them alike. `before` each round: its time does not count. */
export async function compare(
  rounds: number,
  measured: Work,
  against: Work,
  before: Work = () => {},
): Promise<{ measured: number; against: number }> {
  const times: { measured: number[]; against: number[] } = { measured: [], against: [] };
  for (let round = 0; round < rounds; round++) {
    await before();
    times.measured.push(await timed(measured));
    times.against.push(await timed(against));
  }
  return { measured: median(times.measured), against: median(times.against) };
}

export async function timed(work: Work): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const folders: string[] = [];
process.once('exit', () => {
  for (const folder of folders)
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      console.error(`${folder} was not removed: ${(error as Error).message}`);
    }
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

/**
 * Removed at the end of all rows. An ext4 without a journal passes over the inodes of files that were removed in the last minutes,
 * one by one, whenever a file is made: each row would be measured on what the rows before it have removed.
 */
export async function inTempFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-bench-'));
  folders.push(folder);
  return work(folder);
}
