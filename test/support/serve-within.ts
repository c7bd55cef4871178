// `ralph serve` without a process of its own: the same server on two pipes within the test.
import { PassThrough } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { bindingFor } from '../../src/app/binding.ts';
import { closeQueue } from '../../src/queue/queue.ts';
import type { Backend } from '../../src/server/binding.ts';
import { serveOverStdio } from '../../src/server/stdio.ts';
import { leave } from '../../src/tools/release.ts';

export type ServedWithin = {
  /** For a client. */
  transport: Transport;
  /** What was asked is answered, what the client held is given back, and the database is closed. */
  end(): Promise<void>;
};

export function serveWithin(root: string, env: Readonly<Record<string, string>>): ServedWithin {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const project = env['RALPH_PROJECT'] ?? root;
  const face = bindingFor({ project, env, now: Date.now, version: '0.0.0', pipes: { log: () => {} } });
  let opened: Promise<Backend> | null = null;
  const office = (): Promise<Backend> => {
    opened = face.office();
    return opened;
  };
  const { desk, idle } = serveOverStdio({ ...face, office }, toServer, toClient);
  return {
    // A message is a line in both directions.
    transport: new StdioServerTransport(toClient, toServer),
    end: async () => {
      toServer.end();
      await idle();
      const backend = await opened?.catch(() => null);
      if (backend == null) return;
      const { queue, machine, settled } = backend;
      if (desk.run_id !== null || desk.held !== null) await leave(queue, desk, machine).then(settled);
      await closeQueue(queue);
    },
  };
}
