import type { Run, Session } from './session.ts';

/** Why there is nothing to read of a session; null where there is. `size`: of its stream, null where it has none. */
export function missingStream(
  { session, run }: { session: Pick<Session, 'ended'>; run: Pick<Run, 'kind'> },
  size: number | null,
  path: string,
): string | null {
  if (size !== null) return size === 0 ? 'It printed nothing.' : null;
  if (run.kind === 'interactive')
    return 'It was worked on in an MCP client of somebody: what was said there, Ralph has not heard.';
  if (session.ended === null) return 'Nothing has come from it yet.';
  return `Its stream is not there (${path}): nobody has kept it, or its agent was never started.`;
}
