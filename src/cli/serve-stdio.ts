import { endOfService } from '../host/lifetime.ts';
import { loadParts } from '../server/load-parts.ts';
import { serveOverStdio } from '../server/stdio.ts';
import type { CommandContext } from './command.ts';
import { faceFor } from './face.ts';

/** Longer than a write takes, shorter than a client waits before it kills. */
const LEAVE_WITHIN_MS = 70;

/** Serves until there is nobody left to serve. What the client held goes back into the queue. */
export async function serveStdio(context: CommandContext): Promise<void> {
  const { stdin, takeStdout, exit } = context.pipes;
  const stdout = takeStdout();
  const face = faceFor(context);
  const { desk } = serveOverStdio(face, stdin, stdout);
  // Once the greeting is out: the first call should not wait for what every call needs.
  const warmUp = setTimeout(
    () => void Promise.all([loadParts(), face.office()]).catch(() => {}),
    WARM_UP_AFTER_MS,
  ).unref();
  await endOfService(stdin, stdout);
  clearTimeout(warmUp);
  const isHolding = desk.held !== null || desk.run_id !== null;
  if (isHolding) await Promise.race([leaveDesk(), pause(LEAVE_WITHIN_MS)]);
  exit(0);

  async function leaveDesk(): Promise<void> {
    const { leave } = await import('../tools/release.ts');
    // What is being said at this moment is heard out.
    await desk.turn;
    const { queue, machine } = await face.office();
    await leave(queue, desk, machine).catch(face.report);
  }
}

const WARM_UP_AFTER_MS = 20;

const pause = (milliseconds: number): Promise<void> => new Promise((wake) => setTimeout(wake, milliseconds));
