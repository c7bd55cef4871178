// What is made once for all workers, when the first test asks for it: most runs of a few files never do.
import { connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';

/** `close` waits for what is still being made. */
export type Desk = { port: number; close(): Promise<void> };

const FAILED = 'error: ';

/** Before all tests: answers every question with the one text that `make` makes. */
export async function openDesk(make: () => Promise<string>): Promise<Desk> {
  let making: Promise<string> | null = null;
  const desk = createServer((socket) => {
    socket.on('error', () => {});
    making ??= make();
    making.then(
      (answer) => socket.end(answer),
      (error: unknown) => socket.end(`${FAILED}${error instanceof Error ? error.stack : String(error)}`),
    );
  });
  await new Promise<void>((resolve) => desk.listen(0, '127.0.0.1', resolve));
  const address = desk.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close: async () => {
      desk.close();
      await making?.catch(() => {});
    },
  };
}

/** Within a test. */
export async function askDesk(port: number): Promise<string> {
  const answer = await text(connect(port, '127.0.0.1'));
  if (answer.startsWith(FAILED)) throw new Error(answer.slice(FAILED.length));
  return answer;
}
