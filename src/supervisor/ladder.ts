import type { Task } from '../domain/tasks/task.ts';

type Models = {
  /** What the agent of the last session asked for. */
  asked: string | null;
  task: Pick<Task, 'model' | 'attempts' | 'stuck_count'>;
  discipline: { model: string | null } | null;
  config: { model: string; ladder: readonly string[] };
};

/** Begins where the task, its discipline or the project says, and climbs with each attempt that failed. */
export function modelFor({ asked, task, discipline, config }: Models): string {
  // Only what the project itself climbs to: an agent's word must not choose any price.
  if (asked !== null && config.ladder.includes(asked)) return asked;
  const first = task.model ?? discipline?.model ?? config.model;
  const failed = task.attempts + task.stuck_count;
  const at = config.ladder.indexOf(first);
  if (failed === 0 || at < 0) return first;
  return config.ladder[Math.min(at + failed, config.ladder.length - 1)] ?? first;
}
