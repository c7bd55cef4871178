import { setTimeout as pause } from 'node:timers/promises';
import { bindingFor } from '../../app/binding.ts';
import type { CommandContext } from '../../app/world.ts';
import { endOfService } from '../../host/processes/lifetime.ts';
import { watchOver } from '../../host/processes/watcher.ts';
import { loadParts } from '../../server/load-parts.ts';
import { serveOverStdio } from '../../server/stdio.ts';

/**
 * For a verb that is being recorded, and for a task that is returned to the queue: milliseconds, but not on a busy machine.
 * A client that has less patience kills the server; then the next client takes the task over.
 */
const EXIT_TIMEOUT_MS = 10_000;
const WARM_UP_AFTER_MS = 20;

/** Serves until the client is gone, then returns the task it held to the queue. */
export async function serveStdio(context: CommandContext): Promise<void> {
  const { stdin, takeStdout, log, exit } = context.pipes;
  const stdout = takeStdout();
  const binding = bindingFor(context);
  // The watcher ends a running gate if this server is killed.
  watchOver([context.program.node, context.program.script]);
  if (stdin.isTTY === true)
    log('ralph: Waiting for an MCP client on standard input; ralph mcp-config says how to connect one.\n');
  const { client, idle, closed } = serveOverStdio(binding, stdin, stdout);
  // After the greeting: the first call should not wait for what every call needs.
  const warmUp = setTimeout(() => void prepare().catch(binding.report), WARM_UP_AFTER_MS).unref();
  await Promise.race([endOfService(stdin, stdout), closed]);
  clearTimeout(warmUp);
  await Promise.race([idle(), pause(EXIT_TIMEOUT_MS)]);
  await Promise.race([wrapUp(), pause(EXIT_TIMEOUT_MS)]);
  exit(0);

  async function prepare(): Promise<void> {
    await Promise.all([loadParts(), binding.backend()]);
  }

  /** Answers what was asked, and returns a task that the client holds. */
  async function wrapUp(): Promise<void> {
    await idle();
    if (client.run_id === null && client.held_task === null) return;
    const { leave } = await import('../../tools/tasks/release.ts');
    const { queue, effects, afterChange } = await binding.backend();
    await leave(queue, client, effects).then(afterChange, binding.report);
  }
}
