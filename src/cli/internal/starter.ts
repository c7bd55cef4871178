// `ralph starter`: starts git for a run, which would take longer to start it (host/git/starter.ts).
// Ralph itself starts it, so it is not among the commands.
import { runToEnd } from '../../host/processes/spawn.ts';
import type { StarterAnswer, StarterRequest } from '../../host/processes/starter.ts';

/** Meant for Ralph, which handles them; the channel closes when Ralph has ended. */
const IGNORED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

type Channel = {
  on(event: 'message', listener: (request: StarterRequest) => void): unknown;
  send?(answer: StarterAnswer, onSent: (error: Error | null) => void): unknown;
};

/** Ends by itself when the channel has closed and no process that it started is left. */
export function startForRun(channel: Channel): void {
  for (const signal of IGNORED_SIGNALS) process.on(signal, () => {});
  // If Ralph is gone, no process wants the answer.
  const answer = (message: StarterAnswer): void => void channel.send?.(message, () => {});
  channel.on('message', ({ id, command, args, options }) => {
    void runToEnd(command, args, options).then((ended) => answer({ id, ended }));
  });
  answer({ id: null, ended: null });
}
