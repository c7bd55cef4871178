// Picks the task to run beside others. Two sessions that change the same file cost a conflict, which is a whole session.

export type TaskFiles = {
  /** The files that it changes: what it is to produce, and what its earlier sessions wrote. */
  files: readonly string[];
  /** Files that it may change as well: what sessions of its feature usually write. */
  guesses: readonly string[];
};

export type ReadyTask = TaskFiles & {
  id: number;
  /** How often another task was picked instead. */
  passed_over: number;
  /** How many of its last sessions in a row ended with a conflict. */
  conflicts: number;
};

/** As often other tasks may be picked before it; from then on no task begins that would keep it waiting. */
const MAX_PASSED_OVER = 5;

/** After so many conflicts in a row, its guesses count like files. */
const MANY_CONFLICTS = 2;

/**
 * `ready`: in the order of claims. Null if every ready task has to wait for the files of one that runs: an idle slot costs less than
 * a session whose work does not fit. A mere guess lets no slot idle.
 */
export function pickTask(ready: readonly ReadyTask[], running: readonly TaskFiles[]): number | null {
  const taken = new Set(running.flatMap(({ files }) => files));
  const perhapsTaken = new Set(running.flatMap(likelyFiles));
  const reserved = new Set<string>();
  const free: ReadyTask[] = [];
  for (const task of ready) {
    const waits =
      overlaps(task.files, taken) ||
      overlaps(task.files, reserved) ||
      (task.conflicts >= MANY_CONFLICTS && overlaps(likelyFiles(task), perhapsTaken));
    if (!waits) free.push(task);
    else if (isDue(task)) for (const file of likelyFiles(task)) reserved.add(file);
  }
  const best = free.find((task) => isDue(task) || !overlaps(likelyFiles(task), perhapsTaken));
  return (best ?? free[0])?.id ?? null;
}

const isDue = ({ passed_over }: ReadyTask): boolean => passed_over >= MAX_PASSED_OVER;

const likelyFiles = ({ files, guesses }: TaskFiles): string[] => [...files, ...guesses];

const overlaps = (files: readonly string[], others: ReadonlySet<string>): boolean =>
  files.some((file) => others.has(file));
