import type { SupervisorEvent } from '../../supervisor/input.ts';
import type { Look } from '../terminal/row.ts';
import { findSession } from './at-work.ts';
import { eventLines } from './run-lines.ts';
import { isParallel, type RunState } from './run-state.ts';

/** In a pipe each line of a session names its slot, if several sessions may be at work. `before`: the event. */
export function pipeLines(
  event: SupervisorEvent,
  { before, after }: { before: RunState; after: RunState },
  look: Look,
): string[] {
  const session = findSession(event, after.sessions) ?? findSession(event, before.sessions);
  const slot = event.kind === 'slot' ? event.slot : (session?.slot ?? null);
  if (slot === null || !isParallel(after)) return eventLines(event, after, look);
  const lead = `slot ${slot}  `;
  const lines = eventLines(event, after, { ...look, columns: Math.max(1, look.columns - lead.length) });
  return lines.map((line) => lead + line);
}
