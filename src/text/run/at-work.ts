// The sessions that are at work in a run: what each one does, and the order in which they land.
import type { GateStep } from '../../domain/sessions/gate.ts';
import { nextTry } from '../../domain/tasks/tries.ts';
import type { SessionPhase, SupervisorEvent } from '../../supervisor/input.ts';

export type AtWork = {
  /** Of the task. */
  id: number;
  title: string;
  /** Null in the person's own checkout. */
  slot: number | null;
  phase: SessionPhase;
  /** The tasks that land before this one. */
  behind: readonly number[];
  /** The gate that runs on its work. */
  gate: RunningGate | null;
  /** The number of this try, and of the last one allowed. */
  tries: { number: number; most: number };
  model: string;
  since: number;
  turn: number;
  max_turns: number;
  answer: string | null;
  now: { doing: 'starting' | 'working' | 'checking' | 'landing'; action: string; at: number };
};

export type RunningGate = { phase: 'before' | 'after'; step: GateStep; at: number };

/** By the id of the session. The one that changed its phase last comes last. */
export type Sessions = ReadonlyMap<string, AtWork>;

type EventOf<Kind extends SupervisorEvent['kind']> = Extract<SupervisorEvent, { kind: Kind }>;

export const startSession = (
  { claim: { task, tries }, slot, model, max_turns }: EventOf<'started'>,
  max_attempts: number,
  at: number,
): AtWork => ({
  id: task.id,
  title: task.title,
  slot,
  phase: 'working',
  behind: [],
  gate: null,
  tries: nextTry(task, tries, max_attempts),
  model,
  since: at,
  turn: 0,
  max_turns,
  answer: null,
  now: { doing: 'starting', action: '', at },
});

/** The session that an event is about, if it is at work. */
export function findSession(event: SupervisorEvent, sessions: Sessions): AtWork | null {
  const claim = 'claim' in event ? event.claim : null;
  return claim === null ? null : (sessions.get(claim.session.id) ?? null);
}

/** For scripts: the event, with the slot of its session and how far the session has come. */
export function withPlace(
  event: SupervisorEvent,
  before: Sessions,
  after: Sessions,
): SupervisorEvent & { at_work?: Pick<AtWork, 'slot' | 'phase'> } {
  const session = findSession(event, after) ?? findSession(event, before);
  if (session === null || session.slot === null) return event;
  return { ...event, at_work: { slot: session.slot, phase: session.phase } };
}

/** Leaves a session that is not at work alone: one of a dead run, or one that ended meanwhile. */
export function updateSession(
  sessions: Sessions,
  { claim }: Pick<EventOf<'checking'>, 'claim'>,
  update: (session: AtWork) => AtWork,
): Sessions {
  const session = sessions.get(claim.session.id);
  return session === undefined ? sessions : new Map(sessions).set(claim.session.id, update(session));
}

export function enterPhase(
  sessions: Sessions,
  { claim: { session }, phase, behind }: EventOf<'phase'>,
  at: number,
): Sessions {
  const before = sessions.get(session.id);
  if (before === undefined) return sessions;
  // A train that moves up says so by the same phase again; its session keeps its place.
  if (before.phase === phase) return new Map(sessions).set(session.id, { ...before, behind });
  const now = phase === 'working' ? before.now : ({ doing: PHASE_WORK[phase], action: '', at } as const);
  const rest = withoutSession(sessions, session.id);
  return new Map(rest).set(session.id, { ...before, phase, behind, gate: null, now });
}

const PHASE_WORK = { proving: 'checking', landing: 'landing' } as const;

export function withoutSession(sessions: Sessions, id: string): Sessions {
  const rest = new Map(sessions);
  rest.delete(id);
  return rest;
}

/** Those that land or wait to land, in this order. */
export const train = (sessions: Sessions): AtWork[] =>
  [...sessions.values()].filter(({ phase }) => phase === 'landing');

export function observeSession(
  session: AtWork,
  { observation }: Pick<EventOf<'observed'>, 'observation'>,
  at: number,
): AtWork {
  if (observation.kind !== 'turn') return session;
  const { action, answer } = observation;
  return {
    ...session,
    turn: session.turn + (answer !== null && answer === session.answer ? 0 : 1),
    answer,
    // Text between two actions does not hide the last action.
    now: action === null ? session.now : { doing: 'working', action, at },
  };
}
