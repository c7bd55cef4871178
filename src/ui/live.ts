// Sends changes to open pages, whichever process made them. Polls nothing while no page is open.
import type { ServerResponse } from 'node:http';
import type { RalphEvent } from '../domain/event.ts';
import { changesSince, lastChangeId, type Queue } from '../queue/queue.ts';

const LOOK_EVERY_MS = 300;
/** For what leaves no event: a process that died, a file that a person saved. */
const SURROUNDINGS_EVERY_MS = 2_000;
/** A page takes three times this silence for a broken connection. */
const HEARTBEAT_MS = 10_000;
/** A page that missed more events reloads everything, which costs less. */
const MAX_MISSED = 500;
/** A page that does not read is disconnected. It reconnects and names the last event it has seen. */
const MAX_UNREAD_BYTES = 1024 * 1024;

export type Live = {
  /** `after`: the last event that the page has seen. `readSize`: of a stream whose growth it follows. */
  follow(response: ServerResponse, after: number | null, readSize: ReadSize | null): Promise<void>;
  close(): void;
};

type ReadSize = () => Promise<number>;

type Listener = { response: ServerResponse; after: number; readSize: ReadSize | null; bytes: number };

/** Returns a function that ends it. */
type Every = (ms: number, work: () => void) => () => void;

const everyInterval: Every = (ms, work) => {
  const timer = setInterval(work, ms);
  return () => clearInterval(timer);
};

type LiveInput = {
  queue: Queue;
  /** What leaves no event, as a text that differs when something has changed. */
  surroundings(): Promise<string>;
  report(error: unknown): void;
  every?: Every;
};

export function openLive({ queue, surroundings, report, every = everyInterval }: LiveInput): Live {
  const listeners = new Set<Listener>();
  let timers: (() => void)[] = [];
  let lastSurroundings: string | null = null;

  const sendNews = singleFlight(async () => {
    await sendEvents();
    for (const listener of listeners) await sendGrowth(listener);
  }, report);

  /** One query for all pages: from the last event of the page that is furthest behind. */
  async function sendEvents(): Promise<void> {
    // A copy: a page that connects during the query may be further behind, and waits for the next one.
    const present = [...listeners];
    if (present.length === 0) return;
    const oldest = Math.min(...present.map(({ after }) => after));
    const events = await changesSince(queue, oldest);
    const last = events.at(-1)?.id;
    if (last === undefined) return;
    for (const listener of present) {
      const news = events.filter(({ id }) => id > listener.after);
      listener.after = Math.max(listener.after, last);
      send(listener, news.map(formatMessage).join(''));
    }
  }

  async function sendGrowth(listener: Listener): Promise<void> {
    if (listener.readSize === null) return;
    const bytes = await listener.readSize();
    if (bytes === listener.bytes) return;
    listener.bytes = bytes;
    send(listener, `event: grown\ndata: ${bytes}\n\n`);
  }

  function send(listener: Listener, text: string): void {
    if (text === '') return;
    listener.response.write(text);
    if (listener.response.writableLength > MAX_UNREAD_BYTES) listener.response.destroy();
  }

  const broadcast = (text: string): void => {
    for (const listener of listeners) send(listener, text);
  };

  const checkSurroundings = singleFlight(async () => {
    const found = await surroundings();
    if (found !== lastSurroundings) broadcast('event: around\ndata:\n\n');
    lastSurroundings = found;
  }, report);

  function startTimers(): void {
    if (timers.length > 0) return;
    timers = [
      every(LOOK_EVERY_MS, () => void sendNews()),
      every(SURROUNDINGS_EVERY_MS, () => void checkSurroundings()),
      every(HEARTBEAT_MS, () => broadcast(': still here\n\n')),
    ];
  }

  function stopTimers(): void {
    for (const end of timers) end();
    timers = [];
    lastSurroundings = null;
  }

  return {
    follow: async (response, after, readSize) => {
      // Before the page hears that it is connected: what it reads from then on is compared with this.
      if (lastSurroundings === null) await checkSurroundings();
      const last = await lastChangeId(queue);
      // A page ahead of the queue has seen another database: a person has restored an older one.
      const isLost = after !== null && (after > last || last - after > MAX_MISSED);
      const listener = { response, after: isLost ? last : (after ?? last), readSize, bytes: 0 };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      send(
        listener,
        isLost
          ? `id: ${last}\nevent: lost\ndata: ${last}\n\n`
          : `id: ${listener.after}\nevent: here\ndata: ${last}\n\n`,
      );
      response.on('close', () => {
        listeners.delete(listener);
        if (listeners.size === 0) stopTimers();
      });
      if (response.destroyed) return;
      listeners.add(listener);
      startTimers();
      await sendNews();
    },
    close: () => {
      stopTimers();
      for (const { response } of listeners) response.end();
    },
  };
}

/** Calls during a run share that run. A failure is reported, and the next call tries again. */
function singleFlight(work: () => Promise<void>, report: (error: unknown) => void): () => Promise<void> {
  let current: Promise<void> | null = null;
  return () => {
    current ??= work()
      .catch(report)
      .finally(() => {
        current = null;
      });
    return current;
  };
}

/** What happened, and to what. Pages that show it read the rest from their views. */
export type LiveEvent = Omit<RalphEvent, 'id' | 'data'>;

function formatMessage({ id, data: _, ...event }: RalphEvent): string {
  return `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`;
}
