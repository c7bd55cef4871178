import { z } from 'zod';
import { Refusal } from '../../domain/refusal.ts';
import type { Session, StopTime } from '../../domain/sessions/session.ts';
import { missingStream } from '../../domain/sessions/session-state.ts';
import { nextTry } from '../../domain/tasks/tries.ts';
import { withProjectPaths } from '../../domain/text/text.ts';
import { ENTRY_GROUPS } from '../../domain/transcript/entry.ts';
import { readFileEnd } from '../../files/read-lines.ts';
import { otherHost } from '../../host/processes/process-identity.ts';
import { ARTIFACT, sessionDir, streamFile } from '../../host/session-folder.ts';
import type {
  Row,
  StreamFile,
  StreamMatches,
  StreamState,
  WholeEntry,
} from '../../project/transcript/streams.ts';
import { findStopRequest } from '../../queue/sessions/request-stop.ts';
import {
  listSessions,
  resolveSessionId,
  type SessionDetails,
  showSession,
} from '../../queue/sessions/sessions.ts';
import { show } from '../../queue/tasks/show.ts';
import { status } from '../../queue/tasks/status.ts';
import type { UiBackend } from '../backend.ts';
import { from, idText } from '../fields.ts';
import { HttpError } from '../http.ts';
import { defineView } from '../view.ts';
import { type ShownGate, showGate } from './gates.ts';

/** The end of standard error says why an agent did not start. */
const ERROR_BYTES = 8_000;
const MAX_ROWS = 200;

export type SessionView = Omit<SessionDetails, 'gates'> & {
  gates: readonly ShownGate[];
  /** Its process is running. */
  isAlive: boolean;
  /** Its stream grows no more: it has ended, or its process is gone. */
  isOver: boolean;
  stopping: StopTime | null;
  /** How many gates have started on its work. */
  gates_begun: number;
  /** Null where the configuration cannot be read. */
  limits: { most_tries: number; max_turns: number; gates: number } | null;
  stream: StreamState;
  /** Why it has no stream, in a sentence. */
  missing: string | null;
  /** The end of its standard error. */
  errors: string;
};

export type { Row, StreamMatches, WholeEntry };

export const session = defineView({
  path: '/api/sessions/:id',
  input: z.strictObject({ id: z.string() }),
  read: async (backend, { id: name }): Promise<SessionView> => {
    const { details, place, isAlive } = await findSession(backend, name);
    const { session: shown, run } = details;
    const errors = () => backend.artifacts.open({ session_id: shown.id }, ARTIFACT.errors);
    const state = await backend.streams.state(place);
    const { action } = state.progress;
    return {
      ...details,
      gates: details.gates.map(showGate),
      isAlive,
      isOver: place.isOver,
      stopping: isAlive ? await findStopRequest(backend.queue, run.id) : null,
      // Each gate has a log from its start.
      gates_begun: (await backend.artifacts.list({ session_id: shown.id }, 'gates')).length,
      limits: await readLimits(backend, shown),
      stream: {
        ...state,
        progress: {
          ...state.progress,
          action: action && { ...action, text: withProjectPaths(action.text, backend.root) },
        },
      },
      missing: missingStream(details, state.size, { path: place.path, host: otherHost(run) }),
      errors: (await readFileEnd(errors, ERROR_BYTES))?.text ?? '',
    };
  },
});

async function readLimits(
  { config, queue }: UiBackend,
  session: SessionDetails['session'],
): Promise<SessionView['limits']> {
  try {
    const { max_attempts, limits, gates } = await config();
    const { most } = nextTry(await show(queue, session.task_id), session.try - 1, max_attempts);
    return { most_tries: most, max_turns: limits.max_turns, gates: gates.length };
  } catch (error) {
    // A banner on every page already says what is wrong with the file.
    if (error instanceof Refusal) return null;
    throw error;
  }
}

const only = z.enum(ENTRY_GROUPS).optional();

export const sessionEntries = defineView({
  path: '/api/sessions/:id/entries',
  input: z.strictObject({ id: z.string(), from, count: idText.default(MAX_ROWS), only }),
  read: async (backend, { id: name, from: first, count, only: group = null }): Promise<Row[]> => {
    const { place } = await findSession(backend, name);
    const rows = await backend.streams.rows(place, group, first, Math.min(count, MAX_ROWS));
    return rows.map((row) => ({ ...row, line: withProjectPaths(row.line, backend.root) }));
  },
});

export const sessionEntry = defineView({
  path: '/api/sessions/:id/entry',
  input: z.strictObject({ id: z.string(), at: idText }),
  read: async (backend, { id: name, at }): Promise<WholeEntry> => {
    const { place } = await findSession(backend, name);
    const entry = await backend.streams.whole(place, at);
    if (entry === null) throw new HttpError(404, `There is no entry ${at} in this session.`);
    return entry;
  },
});

export const sessionFind = defineView({
  path: '/api/sessions/:id/find',
  input: z.strictObject({ id: z.string(), q: z.string().min(1, 'is empty').max(1_000), from, only }),
  read: async (backend, { id: name, q, from: first, only: group = null }, closed): Promise<StreamMatches> => {
    const { place } = await findSession(backend, name);
    return backend.streams.find(place, { text: q, only: group, from: first }, closed);
  },
});

type FoundSession = { details: SessionDetails; place: StreamFile; isAlive: boolean };

async function findSession(
  { queue, stateDir, artifacts, isAlive }: UiBackend,
  name: string,
): Promise<FoundSession> {
  const id = await resolveSessionId(queue, name);
  const details = await showSession(queue, id);
  const isThere = details.session.ended === null && isAlive(details.run);
  return {
    details,
    isAlive: isThere,
    place: {
      path: streamFile(sessionDir(stateDir, id)),
      open: () => artifacts.open({ session_id: id }, ARTIFACT.stream),
      isOver: !isThere,
    },
  };
}

const SESSIONS_PER_PAGE = 50;

/** Newest first. */
export type SessionsView = {
  sessions: readonly (Session & { title: string; isAlive: boolean })[];
  total: number;
  /** Sessions per page. */
  page: number;
};

export const sessions = defineView({
  path: '/api/sessions',
  input: z.strictObject({
    run: idText.optional(),
    task: idText.optional(),
    open: z.literal('1').optional(),
    from,
  }),
  read: async ({ queue, isAlive }, { run, task, open, from: offset }): Promise<SessionsView> => {
    const filter = {
      ...(run !== undefined && { run_id: run }),
      ...(task !== undefined && { task_id: task }),
      ...(open !== undefined && { isOpen: true as const }),
    };
    const found = await listSessions(queue, filter, SESSIONS_PER_PAGE, offset);
    const alive = new Set((await status(queue)).runs.filter(isAlive).map(({ id }) => id));
    return {
      sessions: found.sessions
        .reverse()
        .map((session) => ({ ...session, isAlive: alive.has(session.run_id) })),
      total: found.total,
      page: SESSIONS_PER_PAGE,
    };
  },
});
