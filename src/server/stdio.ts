import type { Readable, Writable } from 'node:stream';
import type { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { type ClientState, newClientState } from '../tools/client-state.ts';
import type { Binding } from './binding.ts';
import { createServer } from './create-server.ts';
import { observeTransport } from './listen.ts';
import { watchChanges } from './watch.ts';

/** The limit of the HTTP entry. A longer line is no message. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

export type Serving = {
  client: ClientState;
  /** Resolves when every request has its answer, and the client has taken it. */
  idle(): Promise<void>;
  openRequests(): number;
  /** Resolves when the transport closes by itself. */
  closed: Promise<void>;
  /** Closes the transport and stops watching; for a process that serves others, too. */
  stop(): Promise<void>;
};

export function serveOverStdio(binding: Binding, stdin: Readable, stdout: Writable): Serving {
  const client = newClientState(binding.session_id);
  let current: Server | null = null;
  const watch = watchChanges(binding, {
    updated: (uri) => void current?.sendResourceUpdated({ uri }).catch(binding.report),
    listChanged: () => void current?.sendResourceListChanged().catch(binding.report),
  });
  // Each answer being written adds a listener, and there may be many.
  stdout.setMaxListeners(0);
  const wire = new PatientTransport(stdin, stdout, { maxBufferSize: MAX_LINE_BYTES });
  const { transport, idle, openRequests, closed } = observeTransport(wire, watch);
  serveStdio(
    () => {
      current = createServer({ binding, state: client }, watch);
      return current;
    },
    { transport, onerror: binding.report },
  );
  const stop = async (): Promise<void> => {
    await wire.close();
    await watch.stop();
  };
  return { client, idle, openRequests, closed, stop };
}

/** At the end of stdin the SDK drops running requests. Ralph sends their answers first; then the process ends. */
class PatientTransport extends StdioServerTransport {
  override _onstdinclose = (): void => {};
}
