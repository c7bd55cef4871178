// A TCP proxy between one machine and a server, which can stall, refuse, be slow, and lose the answer to what it has passed on.
import { connect, createServer, type Socket } from 'node:net';
import type { PushBreak } from './disturbance.ts';

export type Wire = {
  readonly port: number;
  /** `stall`: nothing passes, as on a cable that is out. `refuse`: connections break, and none is accepted. */
  cut(way: 'stall' | 'refuse'): void;
  heal(): void;
  /** Passes everything on so many milliseconds later. */
  delay(milliseconds: number): void;
  /** Loses the answers to the next commits of PostgreSQL. Resolves when the last one is lost. */
  loseCommits(count: number): Promise<void>;
  /** Breaks the next push off. Resolves when that has happened. */
  breakPush(breaks: PushBreak): Promise<void>;
  /** Takes back what has not happened yet. */
  disarm(): void;
  close(): void;
};

type Pair = { client: Socket; server: Socket; request: string; isMute: boolean; waiting: Buffer[] };

/** A simple query of the protocol ends with a NUL. */
const COMMIT = 'commit\0';
const RECEIVE_PACK = 'git-receive-pack';

export async function startWire(target: number): Promise<Wire> {
  const pairs = new Set<Pair>();
  let state: 'open' | 'stall' | 'refuse' = 'open';
  let commits: { left: number; over(): void } | null = null;
  let delayMs = 0;
  let push: { breaks: PushBreak; over(): void } | null = null;

  const drop = (pair: Pair): void => {
    pairs.delete(pair);
    pair.client.destroy();
    pair.server.destroy();
  };
  const setStalled = (isStalled: boolean): void => {
    for (const { client, server } of pairs)
      for (const socket of [client, server]) isStalled ? socket.pause() : socket.resume();
  };
  /** Whether the answer to this must not arrive. */
  const losesAnswer = (pair: Pair, chunk: Buffer): boolean => {
    if (commits !== null && chunk.includes(COMMIT)) {
      commits.left -= 1;
      const { left, over } = commits;
      if (left === 0) commits = null;
      if (left === 0) over();
      return true;
    }
    return push?.breaks === 'before the answer' && isPush(pair) && chunk.includes('PACK');
  };
  /** In order, also when the delay has changed meanwhile. */
  const passOn = ({ server, waiting }: Pair, chunk: Buffer): void => {
    if (delayMs === 0 && waiting.length === 0) return void server.write(chunk);
    waiting.push(chunk);
    setTimeout(() => server.write(waiting.shift() ?? ''), delayMs);
  };
  const isPush = ({ request }: Pair): boolean => request.includes(RECEIVE_PACK);
  const breaksHere = (pair: Pair, chunk: Buffer): boolean =>
    push !== null &&
    isPush(pair) &&
    (push.breaks === 'at the request' || (push.breaks === 'in the pack' && chunk.includes('PACK')));
  const endPush = (): void => {
    push?.over();
    push = null;
  };

  const listener = createServer((client) => {
    if (state === 'refuse') return void client.destroy();
    const server = connect(target, '127.0.0.1');
    const pair: Pair = { client, server, request: '', isMute: false, waiting: [] };
    pairs.add(pair);
    for (const socket of [client, server]) socket.on('error', () => drop(pair)).on('close', () => drop(pair));
    client.on('data', (chunk) => {
      if (pair.request === '') pair.request = chunk.toString('latin1');
      if (breaksHere(pair, chunk)) {
        // Half of a pack arrives.
        if (push?.breaks === 'in the pack') server.write(chunk.subarray(0, chunk.indexOf('PACK') + 6));
        drop(pair);
        return endPush();
      }
      if (losesAnswer(pair, chunk)) pair.isMute = true;
      passOn(pair, chunk);
    });
    server.on('data', (chunk) => {
      if (!pair.isMute) return void client.write(chunk);
      // The server has answered, so it has done what it was asked for.
      drop(pair);
      if (isPush(pair)) endPush();
    });
    if (state === 'stall') setStalled(true);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    cut: (way) => {
      state = way;
      if (way === 'refuse') for (const pair of pairs) drop(pair);
      else setStalled(true);
    },
    heal: () => {
      state = 'open';
      setStalled(false);
    },
    delay: (milliseconds) => {
      delayMs = milliseconds;
    },
    loseCommits: (count) =>
      new Promise((over) => {
        commits = { left: count, over };
      }),
    breakPush: (breaks) =>
      new Promise((over) => {
        push = { breaks, over };
      }),
    disarm: () => {
      commits = null;
      push = null;
    },
    close: () => {
      listener.close();
      for (const pair of pairs) drop(pair);
    },
  };
}
