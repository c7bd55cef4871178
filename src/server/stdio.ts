import type { Readable, Writable } from 'node:stream';
import type { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { type ClientState, newClientState } from '../tools/client-state.ts';
import type { Binding } from './binding.ts';
import { createServer } from './create-server.ts';
import { observeTransport } from './listen.ts';
import { watchChanges } from './watch.ts';

/** As much as the HTTP entry takes. A longer line is no message. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

export type Serving = {
  client: ClientState;
  /** Fulfilled when every request that came in has been answered. */
  idle(): Promise<void>;
  /** Fulfilled when the connection is over for a reason of its own. */
  closed: Promise<void>;
};

export function serveOverStdio(binding: Binding, stdin: Readable, stdout: Writable): Serving {
  const client = newClientState(binding.session_id);
  let current: Server | null = null;
  const watch = watchChanges(binding, {
    updated: (uri) => void current?.sendResourceUpdated({ uri }).catch(binding.report),
    listChanged: () => void current?.sendResourceListChanged().catch(binding.report),
  });
  // One listener an answer that is under way, and there may be many.
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

/** The SDK drops what it is working on when its input ends. Here the answers go out first; then the whole process ends. */
class PatientTransport extends StdioServerTransport {
  override _onstdinclose = (): void => {};
}
