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
  /** Resolves when every request has its answer. */
  idle(): Promise<void>;
  /** Resolves when the transport closes by itself. */
  closed: Promise<void>;
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
  const { transport, idle, closed } = observeTransport(wire, watch);
  serveStdio(
    () => {
      current = createServer({ binding, state: client }, watch);
      return current;
    },
    { transport, onerror: binding.report },
  );
  return { client, idle, closed };
}

/** At the end of stdin the SDK drops running requests. Ralph sends their answers first; then the process ends. */
class PatientTransport extends StdioServerTransport {
  override _onstdinclose = (): void => {};
}
