// How an agent reaches Ralph. The supervisor is handed the server; only app/ knows how it speaks MCP.
import type { RecipeName } from '../../domain/context.ts';
import type { Queue } from '../../queue/queue.ts';
import type { McpEntry } from '../agents/agent.ts';
import type { HookAnswer } from '../hooks.ts';

/** All that one agent process has of Ralph: a socket, and one folder of files. Both are gone when it has ended. */
export type SessionAccess = {
  socket: string;
  folder: string;
  /** Ralph's MCP server, as the client starts it. */
  server: McpEntry;
  /** How a hook of the client asks; the name of the hook follows. */
  hook: readonly string[];
};

export type ServedSession = {
  session_id: string;
  recipe: RecipeName;
  /** The folder in which the agent works. */
  root: string;
  /** The queue that its tools read and change. */
  queue: Queue;
  answerHook(name: string, input: string): Promise<HookAnswer>;
};

export type SessionServer = {
  /** Serves the session while `work` runs: its token is good for no moment longer. */
  serve<T>(session: ServedSession, work: (access: SessionAccess) => Promise<T>): Promise<T>;
};
