// No session is judged by what it wrote itself, and none starts what it wrote down for the next.
import type { SupervisorInput, Trust } from './input.ts';

export type TamperDetector = {
  /** Whether what would be executed is what was allowed. What is allowed now is what the session is judged by. */
  areAllowed(): Promise<boolean>;
  /** How what judges a task was changed since, in words for a person. Not even what is trusted meanwhile counts: who knows by whom. */
  bent(task_id: number): Promise<string | null>;
};

export async function watchForTampering({ trust }: Pick<SupervisorInput, 'trust'>): Promise<TamperDetector> {
  const first = await trust();
  let judging = first;
  return {
    areAllowed: async () => {
      const now = await trust();
      if (now.trusted) judging = now;
      return now.trusted || now.executable.join('\n') === first.executable.join('\n');
    },
    bent: async (task_id) => {
      const now = await trust();
      return now.lines.join('\n') === judging.lines.join('\n') ? null : tamperingText(judging, now, task_id);
    },
  };
}

function tamperingText(first: Trust, now: Trust, task_id: number): string {
  const added = now.lines.filter((line) => !first.lines.includes(line));
  const gone = first.lines.filter((line) => !now.lines.includes(line));
  const changed = [
    ...(added.length > 0 ? [`now "${added.join('", "')}"`] : []),
    ...(gone.length > 0 ? [`before "${gone.join('", "')}"`] : []),
  ];
  return `What judges the work was changed, and nobody has allowed it: ${changed.join('; ') || 'it differs from what was trusted'}. Accept it with ralph trust, or put it back; then ralph retry ${task_id}.`;
}
