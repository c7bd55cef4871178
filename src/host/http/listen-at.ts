import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Refusal } from '../../domain/refusal.ts';

export type Address = { host: string; port: number };

/** Fulfilled, with the port, when the server can be talked to; port 0 is one that is free. */
export const listenAt = (server: Server, { host, port }: Address): Promise<number> =>
  new Promise((listening, failed) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) =>
      failed(
        new Refusal(
          `Cannot listen on ${host} port ${port} (${code}); choose another ${code === 'EADDRINUSE' || code === 'EACCES' ? 'port' : 'address'}.`,
        ),
      ),
    );
    server.listen(port, host, () => listening(portOf(server)));
  });

export const portOf = (server: Server): number => (server.address() as AddressInfo).port;
