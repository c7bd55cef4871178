// The MCP server of the sessions that this process supervises. A token, not a variable, tells whom a connection speaks for.
import { createHash, randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openRuntimeFolder } from '../../host/runtime-folder.ts';
import { type Greeting, listenForSessions } from '../../host/session-socket.ts';
import { queueForAgents, queueVia } from '../../queue/queue.ts';
import type { Binding } from '../../server/binding.ts';
import type {
  ServedSession,
  SessionAccess,
  SessionServer,
} from '../../supervisor/sessions/session-server.ts';
import { errorDetail, maskPaths } from '../binding.ts';
import type { Project } from '../open-project.ts';
import type { CommandContext } from '../world.ts';
import { createBackend } from './mcp-backend.ts';
import { type Answered, answerHook, serveClient } from './serve-connection.ts';

type SessionServerContext = Pick<CommandContext, 'env' | 'now' | 'version' | 'program'>;

const ENDED =
  'Not recorded: the session of this connection has ended, or never was. Only the sessions at work can report.';

const TOO_MANY = 'Not recorded: this session has too many connections to Ralph; close some of them.';

/** A client and its hooks need a handful: no session may use up what the others need. */
const MAX_CONNECTIONS = 64;

/** A verb that is being recorded when the session ends: milliseconds, but not on a busy machine. */
const LAST_ANSWERS_MS = 2_000;

/** A session at work and its connections. */
type Grant = { session: ServedSession; binding: Binding; connections: Map<Socket, Answered> };

/** `report`: tells the person of an error that is not the agent's. */
export async function openSessionServer(
  context: SessionServerContext,
  project: Project,
  report: (sentence: string) => void,
): Promise<SessionServer & { close(): Promise<void> }> {
  const runtime = await openRuntimeFolder(context.env);
  // By their hashes: how long a look-up takes tells nothing about a token.
  const grants = new Map<string, Grant>();

  const connect = ({ token, hook }: Greeting, socket: Socket): string | null => {
    const grant = grants.get(hashToken(token));
    if (grant === undefined) return ENDED;
    const { session, binding, connections } = grant;
    if (connections.size >= MAX_CONNECTIONS) return TOO_MANY;
    const isClient = hook === null;
    connections.set(socket, isClient ? serveClient(binding, socket) : answerHook(session, hook, socket));
    socket.on('close', () => connections.delete(socket));
    return null;
  };

  async function serve<R>(
    session: ServedSession,
    runSession: (access: SessionAccess) => Promise<R>,
  ): Promise<R> {
    const token = randomBytes(32).toString('base64url');
    const folder = await runtime.newSession();
    const binding = sessionBinding(context, project, session, report);
    const grant: Grant = { session, binding, connections: new Map() };
    grants.set(hashToken(token), grant);
    try {
      const env = { RALPH_SOCKET: runtime.socket, RALPH_TOKEN: token, RALPH_SESSION_ID: session.session_id };
      const relay = [context.program.node, join(dirname(context.program.script), 'relay.js')] as const;
      return await runSession({
        socket: runtime.socket,
        folder,
        server: { command: relay[0], args: [relay[1]], env, alwaysLoad: true },
        hook: [...relay, 'hook', join(folder, 'mcp.json')],
      });
    } finally {
      grants.delete(hashToken(token));
      const answered = Promise.all([...grant.connections.values()].map((isAnswered) => isAnswered()));
      await Promise.race([answered, pause(LAST_ANSWERS_MS, undefined, { ref: false })]);
      for (const socket of grant.connections.keys()) socket.destroy();
      await rm(folder, { recursive: true, force: true });
    }
  }

  const listening = await listenForSessions(runtime.socket, connect).catch(async (error: unknown) => {
    await runtime.remove();
    throw error;
  });
  return { serve, close: () => listening.close().finally(runtime.remove) };
}

const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Whom the server serves comes from the supervisor alone. */
function sessionBinding(
  context: SessionServerContext,
  project: Project,
  { session_id, recipe, root, queue }: Omit<ServedSession, 'answerHook'>,
  report: (sentence: string) => void,
): Binding {
  const { env, now, version, program } = context;
  // The queue of a run waits for minutes, which a client does not. Only a copy for planning is another one.
  const asked = queue.store.isShared ? queueForAgents(project.queue) : queue;
  const served = { ...project, queue: queueVia(asked, 'mcp') };
  const backend = createBackend({ env, now, program, project: project.root }, served, root);
  return {
    version,
    recipe,
    session_id,
    backend: async () => backend,
    onToolsListed: () => {},
    mask: (text) => maskPaths(text, project.root, env['HOME']),
    report: (error) => report(`A call of session ${session_id} failed: ${errorDetail(error)}`),
  };
}
