// Faults that the rounds of a fleet have to find.
import { type Mutation, NO_TRAILER } from '../mutations.ts';
import type { FleetVictim } from './disturbance.ts';

export const FLEET_MUTATIONS: Readonly<Record<string, Mutation<FleetVictim>>> = {
  /** Writes of several machines are not serialised: each decides by what another is just changing. */
  'no-lock': {
    replacement: {
      file: 'src/store/postgres/transact.ts',
      from: "kind === 'write' ? `select",
      to: 'false ? `select',
    },
    // Transactions last longer, so that more of them overlap.
    only: ['slow'],
  },
  /** A machine that died after its push: the same work lands again. */
  'no-trailer': { replacement: NO_TRAILER, only: ['machine'] },
  /** After an outage of the database every lease is over: the first machine that is back takes over all others. */
  'no-unbroken-lease': {
    replacement: {
      file: 'src/domain/sessions/liveness.ts',
      from: 'Math.max(judge.length_ms, owner?.length_ms ?? 0);',
      to: '0;',
    },
    only: ['postgres'],
  },
  /** A machine whose clock is an hour slow writes leases that are over. */
  'local-clock': {
    replacement: {
      file: 'src/store/sessions/leases.ts',
      from: 'run_id: number, leaseMs: number): Promise<boolean> {',
      to: "run_id: number, leaseMs: number): Promise<boolean> { leaseMs += Number(process.env['RALPH_CHAOS_HOURS'] ?? 0) * 3_600_000;",
    },
    only: ['refusal', 'cut'],
  },
  /** What a machine has not pushed when it dies is lost. */
  'gates-before-push': {
    replacement: {
      file: 'src/host/landing/shared-work.ts',
      from: 'if (remote !== null && !shared.has(id))',
      to: 'if (remote !== null && id === "")',
    },
    only: ['machine'],
  },
  /** What another machine has landed meanwhile is overwritten. */
  'no-lease-on-push': {
    replacement: {
      file: 'src/host/remote/remote-tip.ts',
      from: '`--force-with-lease=',
      // Git then pushes whatever the lease says.
      to: "'--force', `--force-with-lease=",
    },
    only: ['freeze'],
  },
};
