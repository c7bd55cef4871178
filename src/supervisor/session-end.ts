import type { SessionEnd } from '../domain/session.ts';
import type { AgentEnd } from './agent-end.ts';

export type Circumstances = { changed_files: boolean; limited_until: number; isStopped: boolean };

/** What the end of a process means for its session. */
export function endOf(
  { fault, limit, error, exit_code }: AgentEnd,
  { changed_files, limited_until, isStopped }: Circumstances,
): SessionEnd {
  if (isStopped) return { kind: 'infrastructure', fault: 'supervisor_killed', resume_at: null };
  // An agent that is not there has done nothing wrong.
  if (error !== null) return { kind: 'infrastructure', fault: 'not_logged_in', resume_at: null };
  if (fault !== null)
    return { kind: 'infrastructure', fault, resume_at: isPause({ fault }) ? limited_until : null };
  if (limit !== null) return { kind: 'limit', limit, changed_files };
  return { kind: 'exited', exit_code };
}

/** A fault that passes by itself. */
export const isPause = ({ fault }: Pick<AgentEnd, 'fault'>): boolean =>
  fault === 'usage_limit' || fault === 'overloaded';
