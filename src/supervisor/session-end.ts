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

/** Of a session that changes no file. `now`: until when a limit holds whose end nobody knows. */
export function endOfReading(
  end: AgentEnd,
  { now, isStopped }: { now: number; isStopped: boolean },
): SessionEnd {
  const limited_until = end.limited_until ?? now;
  return endOf(withLostServer(end), { changed_files: false, limited_until, isStopped });
}

/** One that failed before its first word never came as far as Ralph's server: it has done nothing, and the next one would not either. */
export const withLostServer = (end: AgentEnd): AgentEnd =>
  end.exit_code !== 0 && end.usage.turns === 0 ? { ...end, fault: end.fault ?? 'mcp_lost' } : end;

/** A fault that passes by itself. */
export const isPause = ({ fault }: Pick<AgentEnd, 'fault'>): boolean =>
  fault === 'usage_limit' || fault === 'overloaded';
