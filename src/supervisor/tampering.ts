// Detects changes to what judges a session: gates, hooks, and scripts behind them. No session may change its own judge,
// nor make the next session execute what it wrote.
import type { SupervisorInput, Trust } from './input.ts';

export type TamperDetector = {
  /** Whether a person has allowed what Ralph would execute. What is allowed now judges the session. */
  isAllowed(): Promise<boolean>;
  /**
   * What changed since, in words for a person; null if nothing did. Trust granted during the session is ignored: the agent may
   * have granted it.
   */
  findTampering(task_id: number): Promise<string | null>;
};

export async function watchForTampering({ trust }: Pick<SupervisorInput, 'trust'>): Promise<TamperDetector> {
  const first = await trust();
  let judging = first;
  return {
    isAllowed: async () => {
      const now = await trust();
      if (now.trusted) judging = now;
      return now.trusted || now.executable.join('\n') === first.executable.join('\n');
    },
    findTampering: async (task_id) => {
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
  return `The rules that judge the work were changed without your permission: ${changed.join('; ') || 'it differs from what was trusted'}. Accept it with ralph trust, or put it back; then ralph retry ${task_id}.`;
}
