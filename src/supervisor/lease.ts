// The lease of this run: it is renewed as long as the database answers. A run that loses the database keeps its agents for a while,
// because an outage of a minute must not cost an hour of work. It ends them when another run has taken over its sessions.
import type { Config } from '../domain/config.ts';
import { localTime } from '../domain/text/amounts.ts';
import type { Queue } from '../queue/queue.ts';
import { keepHeartbeat } from '../queue/sessions/heartbeat.ts';
import type { SupervisorInput } from './input.ts';

/** `lost`: another run has taken over. `cut_off`: the database did not answer for too long. */
export type LeaseEnd = 'lost' | 'cut_off';

export type RunLease = {
  /** Aborted when this run may no longer work; its reason is a LeaseEnd. */
  readonly over: AbortSignal;
  /** Resolves when no write is pending, so that the caller may close the database. */
  stop(): Promise<void>;
};

/** Long enough for a restart or a failover of the database, and shorter than most people take to notice one. */
const CUT_OFF_MS = 600_000;

export const leaseTimes = ({ fleet }: Pick<Config, 'fleet'>): { leaseMs: number; everyMs: number } => ({
  leaseMs: fleet.lease_seconds * 1_000,
  everyMs: fleet.heartbeat_seconds * 1_000,
});

export function holdLease(
  { queue, config, tell }: { queue: Queue; config: Pick<Config, 'fleet'> } & Pick<SupervisorInput, 'tell'>,
  run_id: number,
  { cutOffMs = CUT_OFF_MS, elapsed = () => performance.now() } = {},
): RunLease {
  const over = new AbortController();
  let renewed = elapsed();
  let isAway = false;
  const end = (reason: LeaseEnd, text: string): void => {
    if (over.signal.aborted) return;
    tell({ kind: 'fleet', text });
    over.abort(reason);
  };
  const heartbeat = keepHeartbeat(queue, run_id, leaseTimes(config), {
    onRenewed: () => {
      if (isAway) tell({ kind: 'fleet', text: BACK });
      isAway = false;
      renewed = elapsed();
    },
    onMissed: () => {
      // On a database of this machine alone, whatever fails next says why.
      if (!queue.store.isShared) return;
      if (!isAway) tell({ kind: 'fleet', text: awayText(queue.now(), cutOffMs) });
      isAway = true;
      if (elapsed() - renewed >= cutOffMs) end('cut_off', CUT_OFF);
    },
    onLost: () => end('lost', LOST),
  });
  return { over: over.signal, stop: heartbeat.stop };
}

const awayText = (at: number, cutOffMs: number): string =>
  `the database does not answer since ${localTime(at)}; agents go on, and end if it is not back in ${Math.round(cutOffMs / 60_000)} minutes`;

const BACK = 'the database answers again; nothing was lost';
const CUT_OFF = 'the database did not come back; Ralph ends its agents, and keeps their files in their slots';
const LOST = 'another machine has taken over the sessions of this run; Ralph ends its agents';
