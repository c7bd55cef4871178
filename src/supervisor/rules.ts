// No session is judged by what it wrote itself, and none starts what it wrote down for the next.
import type { SupervisorInput, Trust } from './input.ts';

export type Rules = {
  /** How what judges a task was changed, in words for a person; null where a person has allowed it all. */
  bent(task_id: number): Promise<string | null>;
  /** Whether what would be executed is still what was allowed. */
  areAllowed(): Promise<boolean>;
};

export async function rulesOf({ trust }: Pick<SupervisorInput, 'trust'>): Promise<Rules> {
  const first = await trust();
  return {
    bent: async (task_id) => {
      const now = await trust();
      return now.trusted ? null : bentText(first, now, task_id);
    },
    areAllowed: async () => {
      const { trusted, executable } = await trust();
      return trusted || executable.join('\n') === first.executable.join('\n');
    },
  };
}

function bentText(first: Trust, now: Trust, task_id: number): string {
  const added = now.lines.filter((line) => !first.lines.includes(line));
  const gone = first.lines.filter((line) => !now.lines.includes(line));
  const changed = [
    ...(added.length > 0 ? [`now "${added.join('", "')}"`] : []),
    ...(gone.length > 0 ? [`before "${gone.join('", "')}"`] : []),
  ];
  return `What judges the work was changed, and nobody has allowed it: ${changed.join('; ') || 'it differs from what was trusted'}. Accept it with ralph trust, or put it back; then ralph retry ${task_id}.`;
}
