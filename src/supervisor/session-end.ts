import { failureBy } from '../domain/sessions/agent-failure.ts';
import type { SessionEnd } from '../domain/sessions/session.ts';
import { type AgentEnd, withFault } from './agent-end.ts';

export type Circumstances = { changed_files: boolean; limited_until: number; isStopped: boolean };

/** What the end of a process means for its session. */
export function endOf(
  { fault, limit, exit_code, detail }: AgentEnd,
  { changed_files, limited_until, isStopped }: Circumstances,
): SessionEnd {
  if (isStopped) return { kind: 'infrastructure', fault: 'supervisor_killed', resume_at: null };
  if (fault !== null) {
    // For an outage the run as a whole waits: once that has passed, nothing may keep the task back.
    const resume_at = failureBy(fault)?.policy === 'limit' ? limited_until : null;
    return { kind: 'infrastructure', fault, resume_at, ...(detail !== null && { detail }) };
  }
  if (limit !== null) return { kind: 'limit', limit, changed_files };
  return { kind: 'exited', exit_code };
}

/** Of a session that changes no file. `now`: until when a limit holds whose end nobody knows. */
export function endOfReading(
  end: AgentEnd,
  { now, isStopped }: { now: number; isStopped: boolean },
): SessionEnd {
  return endOf(end, { changed_files: false, limited_until: end.limited_until ?? now, isStopped });
}

/**
 * One that ends with an error and has done nothing until then says nothing of its task, and the next one would do no better.
 * `hasActed`: whether it said a verb or changed a file; asked only where the answer counts.
 */
export async function judgeFailure(end: AgentEnd, hasActed: () => Promise<boolean>): Promise<AgentEnd> {
  // An agent that is not there has done nothing wrong.
  if (end.error !== null) return { ...end, fault: 'cannot_start', detail: end.error };
  const isExplained = end.fault !== null || end.limit !== null || end.hindrance !== null;
  if (end.exit_code === 0 || isExplained) return end;
  const met = withFault(end, null);
  if (met.fault !== null) return { ...end, ...met };
  if (end.answers > 0 || (await hasActed())) return end;
  // By a signal from outside, for example where memory runs out: that may pass.
  const fault = end.exit_code === null ? 'agent_killed' : 'agent_failed';
  return { ...end, fault, detail: end.last_words };
}
