// In the newer protocol the SDK answers `subscriptions/listen` itself and does not report what the client asked for. So Ralph
// reads the messages on their way to the SDK.
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import type { Watch } from './watch.ts';

type ListenFilter = { resourceSubscriptions?: unknown; resourcesListChanged?: unknown };

/** Resolves when the server may answer the message; null if the message subscribes to nothing. */
export function prepareListen(message: unknown, watch: Watch, holder: string): Promise<void> | null {
  const { method, params } = message as { method?: unknown; params?: { notifications?: ListenFilter } };
  if (method !== 'subscriptions/listen') return null;
  const { resourceSubscriptions = [], resourcesListChanged } = params?.notifications ?? {};
  const uris = Array.isArray(resourceSubscriptions) ? resourceSubscriptions.filter(isText) : [];
  if (uris.length > 0) return watch.subscribe(uris, holder);
  return resourcesListChanged === true ? watch.expectLists() : null;
}

const isText = (value: unknown): value is string => typeof value === 'string';

type ObservedTransport = {
  transport: Transport;
  /** Resolves when every request has its answer, and the client has taken it. */
  idle(): Promise<void>;
  /** How many requests have no answer yet. */
  openRequests(): number;
  closed: Promise<void>;
};

/** Wraps a transport. A `listen` is delivered only once the watch notices its changes; every other message at once. */
export function observeTransport(inner: Transport, watch: Watch): ObservedTransport {
  const open = new Set<unknown>();
  const waiting: (() => void)[] = [];
  let resolveClosed = (): void => {};
  const closed = new Promise<void>((end) => {
    resolveClosed = end;
  });
  const resolveIdle = (): void => {
    for (const still of waiting.splice(0)) still();
  };
  const markAnswered = (id: unknown): void => {
    open.delete(id);
    if (open.size === 0) resolveIdle();
  };
  const transport: Transport = {
    start: () => {
      inner.onmessage = (message, extra) => {
        const { id, method, params } = message as Message;
        if (method !== undefined && id !== undefined) open.add(id);
        if (method === 'notifications/cancelled') {
          watch.release(listenHolder(params?.requestId));
          markAnswered(params?.requestId);
        }
        const deliver = () => transport.onmessage?.(message, extra);
        const preparing = prepareListen(message, watch, listenHolder(id));
        if (preparing === null) deliver();
        // Delivered even if preparing failed: the client gets an answer.
        else preparing.then(deliver, deliver).finally(() => markAnswered(id));
      };
      inner.onclose = () => {
        // No request can get an answer any more.
        open.clear();
        resolveIdle();
        resolveClosed();
        transport.onclose?.();
      };
      inner.onerror = (error) => transport.onerror?.(error);
      return inner.start();
    },
    send: async (message, options) => {
      const { id, method } = message as Message;
      try {
        await inner.send(message, options);
      } finally {
        if (method === undefined) markAnswered(id);
      }
    },
    close: () => inner.close(),
  };
  const idle = (): Promise<void> =>
    new Promise((still) => {
      if (open.size === 0) still();
      else waiting.push(still);
    });
  return { transport, idle, openRequests: () => open.size, closed };
}

type Message = JSONRPCMessage & { id?: unknown; method?: string; params?: { requestId?: unknown } };

const listenHolder = (id: unknown): string => `listen ${String(id)}`;
