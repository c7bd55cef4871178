// Ctrl-C: the first lets the sessions at work end, the second ends them.
import type { StopSignals } from '../supervisor/input.ts';

/** `end`: what a second Ctrl-C does. */
export function watchInterrupts(): { signals: StopSignals; end(): void } {
  const [after, now] = [new AbortController(), new AbortController()];
  const interrupt = (): void => {
    if (after.signal.aborted) now.abort();
    after.abort();
  };
  const end = (): void => {
    now.abort();
    after.abort();
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  // The terminal was closed, or the person insists.
  for (const signal of ['SIGHUP', 'SIGQUIT', 'SIGABRT'] as const) process.on(signal, end);
  return { signals: { after: after.signal, now: now.signal }, end };
}
