// Picks the task to run beside others. Two sessions that change the same file cost a conflict, which is a whole session.

export type ReadyTask = {
  id: number;
  /** The files that it will probably change: a guess. */
  files: readonly string[];
  /** How often another task was picked instead. */
  passed_over: number;
  /** How many of its last sessions in a row ended with a conflict. */
  conflicts: number;
};

/** As often a guess may put a task behind others. */
const MAX_PASSED_OVER = 5;

/** After so many conflicts in a row it is no guess any more. */
const MANY_CONFLICTS = 2;

/** `ready`: in the order of claims. Null only if every ready task had conflicts and overlaps with a running one. */
export function pickTask(
  ready: readonly ReadyTask[],
  running: readonly { files: readonly string[] }[],
): number | null {
  const taken = new Set(running.flatMap(({ files }) => files));
  const isApart = ({ files }: ReadyTask): boolean => !files.some((file) => taken.has(file));
  const hadConflicts = ({ conflicts }: ReadyTask): boolean => conflicts >= MANY_CONFLICTS;
  const isDue = (task: ReadyTask): boolean => task.passed_over >= MAX_PASSED_OVER && !hadConflicts(task);
  // A guess must not leave a slot idle.
  const picked =
    ready.find((task) => isApart(task) || isDue(task)) ?? ready.find((task) => !hadConflicts(task));
  return picked?.id ?? null;
}
