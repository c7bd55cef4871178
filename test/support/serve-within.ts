// `ralph serve` without a process of its own: the same server on two pipes within the test.
import { PassThrough } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { inject } from 'vitest';
import { bindingFor } from '../../src/app/binding.ts';
import { closeQueue } from '../../src/queue/queue.ts';
import type { Backend } from '../../src/server/binding.ts';
import { serveOverStdio } from '../../src/server/stdio.ts';
import { leave } from '../../src/tools/tasks/release.ts';

export type ServedWithin = {
  /** For a client. */
  transport: Transport;
  /** What was asked is answered, what the client held is given back, and the database is closed. */
  end(): Promise<void>;
};

export function serveWithin(root: string, env: Readonly<Record<string, string>>): ServedWithin {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const project = env['RALPH_PROJECT'] ?? root;
  const binding = bindingFor({
    project,
    env,
    now: Date.now,
    version: '0.0.0',
    program: { node: process.execPath, script: inject('ralph') },
    hasTerminal: () => true,
    pipes: { log: () => {} },
  });
  let opened: Promise<Backend> | null = null;
  const backend = (): Promise<Backend> => {
    const opening = binding.backend();
    opened = opening;
    return opening;
  };
  const { client, idle } = serveOverStdio({ ...binding, backend }, toServer, toClient);
  return {
    // A message is a line in both directions.
    transport: new StdioServerTransport(toClient, toServer),
    end: async () => {
      toServer.end();
      await idle();
      const used = await opened?.catch(() => null);
      if (used == null) return;
      const { queue, effects, afterChange } = used;
      if (client.run_id !== null || client.held_task !== null)
        await leave(queue, client, effects).then(afterChange);
      await closeQueue(queue);
    },
  };
}
