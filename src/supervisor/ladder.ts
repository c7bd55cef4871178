import type { Task } from '../domain/task.ts';

type Models = {
  task: Pick<Task, 'model' | 'attempts' | 'stuck_count'>;
  discipline: { model: string | null } | null;
  config: { model: string; ladder: readonly string[] };
};

/** Begins where the task, its discipline or the project says, and climbs with each attempt that failed. */
export function modelFor({ task, discipline, config }: Models): string {
  const first = task.model ?? discipline?.model ?? config.model;
  const failed = task.attempts + task.stuck_count;
  const at = config.ladder.indexOf(first);
  if (failed === 0 || at < 0) return first;
  return config.ladder[Math.min(at + failed, config.ladder.length - 1)] ?? first;
}
