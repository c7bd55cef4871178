// The live stream of events. Each page has one connection, and none while it is hidden.
import { signal } from '@preact/signals';
import type { LiveEvent } from '../src/ui/live.ts';
import { forgetServer, hasToken, RequestError, request, ServerUnreachable } from './api.ts';

type Connection = 'connecting' | 'live' | 'lost' | 'denied';

export const connection = signal<Connection>(hasToken ? 'connecting' : 'denied');
/** Why the connection is lost, and what to do about it. */
export const lostReason = signal('');
export const isPaused = signal(false);
/** How many events have come since the person paused. */
export const missed = signal(0);
/** Something may have changed since then that has no event to count. */
let isBehind = false;

/** Null: there is no list of what changed, so every view reads its value again. */
type Listener = (events: readonly LiveEvent[] | null) => void;

const listeners = new Set<Listener>();
const growthListeners = new Set<(bytes: number) => void>();

export function onChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function pause(): void {
  isPaused.value = true;
}

export function resume(): void {
  isPaused.value = false;
  if (missed.value > 0 || isBehind) notify(null);
  missed.value = 0;
  isBehind = false;
}

/** Follows the growth of this session's stream, too. Returns a function that ends it. */
export function followStream(session: string, listener: (bytes: number) => void): () => void {
  followedSession = session;
  growthListeners.add(listener);
  current.abort();
  return () => {
    growthListeners.delete(listener);
    if (followedSession !== session || growthListeners.size > 0) return;
    followedSession = null;
    current.abort();
  };
}

function notify(events: readonly LiveEvent[] | null): void {
  for (const listener of [...listeners]) listener(events);
}

/** The server sends something every ten seconds. */
const SILENCE_MS = 30_000;
const RETRY_AFTER_MS = [300, 1_000, 2_000, 4_000];

let followedSession: string | null = null;
let current = new AbortController();
let lastId: string | null = null;

export async function stayConnected(): Promise<void> {
  let failures = 0;
  while (connection.value !== 'denied') {
    await untilVisible();
    current = new AbortController();
    try {
      await listen(current, () => {
        failures = 0;
      });
    } catch (error) {
      if (current.signal.aborted && !(error instanceof ConnectionLost)) continue;
      if (error instanceof RequestError && (error.status === 401 || error.status === 403)) {
        connection.value = 'denied';
        return;
      }
      if (error instanceof RequestError && error.status === 409 && followedSession !== null) {
        // There is no such session, as its page says; all other events still come.
        followedSession = null;
        continue;
      }
      connection.value = 'lost';
      lostReason.value = explainLoss(error);
      forgetServer();
      await delay(RETRY_AFTER_MS[failures] ?? 5_000);
      failures += 1;
    }
  }
}

class ConnectionLost extends Error {}

const explainLoss = (error: unknown): string =>
  error instanceof RequestError && !(error instanceof ServerUnreachable)
    ? error.message
    : 'The server is gone; you see the last state that this page has read. Start the server again with ralph ui, and this page reconnects.';

async function listen(controller: AbortController, onConnected: () => void): Promise<void> {
  const path = followedSession === null ? '/api/events' : `/api/events?session=${followedSession}`;
  const { body } = await request(path, {
    signal: controller.signal,
    headers: lastId === null ? {} : { 'last-event-id': lastId },
  });
  if (body === null) throw new ConnectionLost();
  onConnected();
  connection.value = 'live';
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), failWhenSilent(controller)]);
      // An orderly end of the stream means the same as a broken one: the server is gone.
      if (done) throw new ConnectionLost();
      const messages = (rest + value).split('\n\n');
      rest = messages.pop() ?? '';
      handleMessages(messages.map(parse));
    }
  } finally {
    clearTimeout(silenceTimer);
  }
}

let silenceTimer: ReturnType<typeof setTimeout>;

function failWhenSilent(controller: AbortController): Promise<never> {
  clearTimeout(silenceTimer);
  return new Promise((_, failed) => {
    silenceTimer = setTimeout(() => {
      controller.abort();
      failed(new ConnectionLost());
    }, SILENCE_MS);
  });
}

type Message = { id: string | null; event: string; data: string };

function parse(text: string): Message {
  const message: Message = { id: null, event: 'message', data: '' };
  for (const line of text.split('\n')) {
    const [, name, value = ''] = /^(id|event|data): ?(.*)$/.exec(line) ?? [];
    if (name === 'id') message.id = value;
    else if (name === 'event') message.event = value;
    else if (name === 'data') message.data = value;
  }
  return message;
}

function handleMessages(messages: readonly Message[]): void {
  const events: LiveEvent[] = [];
  let isIncomplete = false;
  let unlisted = 0;
  for (const { id, event, data } of messages) {
    // `here`: values read before may be older than the events that follow. `around`: a change without an event.
    if (event === 'lost' || event === 'around' || event === 'here') isIncomplete = true;
    if (event === 'lost') unlisted += Math.max(1, Number(id) - Number(lastId));
    else if (event === 'around') unlisted += 1;
    else if (event === 'grown') for (const listener of growthListeners) listener(Number(data));
    else if (event === 'message' && data !== '') events.push(JSON.parse(data));
    if (id !== null) lastId = id;
  }
  if (!isIncomplete && events.length === 0) return;
  if (!isPaused.value) {
    notify(isIncomplete ? null : events);
    return;
  }
  missed.value += unlisted + events.length;
  isBehind ||= isIncomplete;
}

/** A hidden page needs no connection: browsers allow few per server, and the next page may need one. */
async function untilVisible(): Promise<void> {
  while (document.hidden)
    await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }));
}

document.addEventListener('visibilitychange', () => {
  if (document.hidden) current.abort();
});

const delay = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
