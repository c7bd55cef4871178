// What happens in the queue, as it happens. One connection a page, none while nobody looks at it.
import { signal } from '@preact/signals';
import type { LiveEvent } from '../src/ui/live.ts';
import { forgetServer, hasToken, RequestError, request, ServerUnreachable } from './api.ts';

type Connection = 'connecting' | 'live' | 'lost' | 'denied';

export const connection = signal<Connection>(hasToken ? 'connecting' : 'denied');
/** Why it is lost, and what to do about it. */
export const lostReason = signal('');
export const isPaused = signal(false);
/** How much has happened since somebody paused. */
export const missed = signal(0);
/** Something may have changed meanwhile that nobody counts. */
let isBehind = false;

/** Null: more than can be told one by one; whoever shows something reads it anew. */
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

/** Also hears of what this session's stream grows by. Answers with how to hear no more of it. */
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

/** The server says something every ten seconds. */
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
        // There is no such session, which its page says; all else is told as before.
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
    : 'The server is gone; what you see is what it said last. Start it again with ralph ui, and this page goes on by itself.';

async function listen(controller: AbortController, begun: () => void): Promise<void> {
  const path = followedSession === null ? '/api/events' : `/api/events?session=${followedSession}`;
  const { body } = await request(path, {
    signal: controller.signal,
    headers: lastId === null ? {} : { 'last-event-id': lastId },
  });
  if (body === null) throw new ConnectionLost();
  begun();
  connection.value = 'live';
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), failWhenSilent(controller)]);
      // The server went away in good order: it is as gone as if it had not.
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
  let isUntold = false;
  let untold = 0;
  for (const { id, event, data } of messages) {
    // `here`: what was read before may be older than what will be told. `around`: no single event tells of it.
    if (event === 'lost' || event === 'around' || event === 'here') isUntold = true;
    if (event === 'lost') untold += Math.max(1, Number(id) - Number(lastId));
    else if (event === 'around') untold += 1;
    else if (event === 'grown') for (const listener of growthListeners) listener(Number(data));
    else if (event === 'message' && data !== '') events.push(JSON.parse(data));
    if (id !== null) lastId = id;
  }
  if (!isUntold && events.length === 0) return;
  if (!isPaused.value) {
    notify(isUntold ? null : events);
    return;
  }
  missed.value += untold + events.length;
  isBehind ||= isUntold;
}

/** A page that nobody sees needs no connection; browsers allow few of them, and the next page may want one. */
async function untilVisible(): Promise<void> {
  while (document.hidden)
    await new Promise((seen) => document.addEventListener('visibilitychange', seen, { once: true }));
}

document.addEventListener('visibilitychange', () => {
  if (document.hidden) current.abort();
});

/** Long enough for a server that is started again. */
const delay = (ms: number): Promise<void> =>
  new Promise((over) => {
    setTimeout(over, ms);
  });
