import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, Server, Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { type Desk, newDesk } from '../tools/desk.ts';
import { createServer } from './create-server.ts';
import type { Face } from './face.ts';
import { watchChanges } from './watch.ts';

/** A message that is longer than this is no message. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;

export type Serving = { desk: Desk; close(): Promise<void> };

export function serveOverStdio(face: Face, stdin: Readable, stdout: Writable): Serving {
  const desk = newDesk(face.session_id);
  let current: Server | null = null;
  const watch = watchChanges(face, {
    updated: (uri) => void current?.sendResourceUpdated({ uri }).catch(face.report),
    listChanged: () => void current?.sendResourceListChanged().catch(face.report),
  });
  const wire = new StdioServerTransport(stdin, stdout, { maxBufferSize: MAX_LINE_BYTES });
  const handle = serveStdio(
    () => {
      current = createServer({ face, desk }, watch);
      return current;
    },
    {
      transport: overheard(wire, (message) => heardListen(message, watch.subscribe, watch.expectLists)),
      onerror: face.report,
    },
  );
  return {
    desk,
    close: async () => {
      await watch.stop();
      await handle.close();
    },
  };
}

/** In the newer protocol the SDK answers `subscriptions/listen` itself, and does not say what was asked for. */
export function heardListen(
  message: unknown,
  subscribe: (uris: readonly string[]) => Promise<void>,
  expectLists: () => Promise<void>,
): Promise<void> | null {
  const { method, params } = message as { method?: unknown; params?: { notifications?: Wanted } };
  if (method !== 'subscriptions/listen') return null;
  const { resourceSubscriptions = [], resourcesListChanged } = params?.notifications ?? {};
  const uris = Array.isArray(resourceSubscriptions) ? resourceSubscriptions.filter(isText) : [];
  if (uris.length > 0) return subscribe(uris);
  return resourcesListChanged === true ? expectLists() : null;
}

type Wanted = { resourceSubscriptions?: unknown; resourcesListChanged?: unknown };

const isText = (value: unknown): value is string => typeof value === 'string';

/** The same transport, with somebody listening in; a message waits for what it caused them to prepare. */
function overheard(inner: Transport, hear: (message: JSONRPCMessage) => Promise<void> | null): Transport {
  let pending: Promise<void> | null = null;
  const outer: Transport = {
    start: () => {
      inner.onmessage = (message, extra) => {
        const deliver = () => outer.onmessage?.(message, extra);
        const preparing = hear(message);
        if (preparing === null && pending === null) return deliver();
        pending = Promise.all([pending, preparing]).then(deliver, deliver);
      };
      inner.onclose = () => outer.onclose?.();
      inner.onerror = (error) => outer.onerror?.(error);
      return inner.start();
    },
    send: (message, options) => inner.send(message, options),
    close: () => inner.close(),
  };
  return outer;
}
