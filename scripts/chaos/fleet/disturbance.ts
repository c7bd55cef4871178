// What disturbs a fleet, and when: drawn from the seed alone.
import type { Moment } from '../disturbance.ts';
import type { Random } from '../random.ts';

/**
 * `machine`: it loses its power. `worker`: its supervisor alone dies. `freeze`: it stands still for twice the lease. `cut`: it cannot
 * reach the database, the remote, or both. `answer`: the answer to a commit of PostgreSQL is lost. `push`: a push breaks off.
 */
export const FLEET_VICTIMS = [
  'machine',
  'worker',
  'agent',
  'gate',
  'git',
  'postgres',
  'freeze',
  'cut',
  'answer',
  'push',
  'refusal',
] as const;
export type FleetVictim = (typeof FLEET_VICTIMS)[number];

export const PUSH_BREAKS = ['at the request', 'in the pack', 'before the answer'] as const;
export type PushBreak = (typeof PUSH_BREAKS)[number];

export type Link = 'database' | 'remote';

type Detail =
  | { victim: 'machine'; awayMs: number }
  | { victim: 'worker' | 'agent' | 'gate' }
  | { victim: 'git'; call: number; dies: 'before' | 'after' }
  | { victim: 'postgres'; awayMs: number }
  | { victim: 'freeze'; part: 'machine' | 'worker' }
  | { victim: 'cut'; links: readonly Link[]; way: 'stall' | 'refuse'; awayMs: number }
  | { victim: 'answer'; commits: number }
  | { victim: 'push'; breaks: PushBreak }
  | { victim: 'refusal'; refs: 'all' | 'work'; awayMs: number };

/** `machine`: the number of the one that is hit, from 0. */
export type FleetDisturbance = { moment: Moment; machine: number } & Detail;
export type OfFleet<Name extends FleetVictim> = FleetDisturbance & { victim: Name };

/** Short, so that a round takes seconds; long enough for a machine with more to do than cores. */
export const LEASE_MS = 3_000;
export const HEARTBEAT_MS = 500;

const MOMENTS: readonly [Moment['after'], ...Moment['after'][]] = [
  'start',
  'acknowledged',
  'acknowledged',
  'gate begun',
  'gate begun',
  'gate ended',
];

const MOST_DELAY_MS = { start: 4_000, acknowledged: 250, 'gate begun': 200, 'gate ended': 200 };

export function planFleetDisturbance(
  random: Random,
  machines: number,
  only: readonly FleetVictim[],
): FleetDisturbance {
  const [first = 'machine', ...more] = only.length > 0 ? only : FLEET_VICTIMS;
  const victim = random.pick([first, ...more]);
  const after = victim === 'gate' ? 'gate begun' : victim === 'agent' ? 'acknowledged' : random.pick(MOMENTS);
  const most = MOST_DELAY_MS[after as keyof typeof MOST_DELAY_MS];
  const isShort = victim === 'agent' || victim === 'gate';
  const count = after === 'start' ? 0 : random.between(1, after === 'acknowledged' ? 4 : 2);
  const delayMs = random.between(0, isShort ? 60 : most);
  const machine = random.between(0, machines - 1);
  return { moment: { after, count, delayMs }, machine, ...planDetail(random, victim) };
}

function planDetail(random: Random, victim: FleetVictim): Detail {
  const awayMs = random.between(200, LEASE_MS * 2);
  switch (victim) {
    case 'machine':
      // Long enough to be taken over, or back at once.
      return { victim, awayMs: random.pick([500, LEASE_MS * 4]) };
    case 'git':
      return { victim, call: random.between(1, 24), dies: random.pick(['before', 'after']) };
    case 'postgres':
      return { victim, awayMs };
    case 'freeze':
      return { victim, part: random.pick(['machine', 'worker']) };
    case 'cut':
      return {
        victim,
        links: random.pick<readonly Link[]>([['database'], ['remote'], ['database', 'remote']]),
        way: random.pick(['stall', 'refuse']),
        awayMs: random.pick([awayMs, LEASE_MS * 3]),
      };
    case 'answer':
      return { victim, commits: random.between(1, 3) };
    case 'push':
      return { victim, breaks: random.pick(PUSH_BREAKS) };
    case 'refusal':
      return { victim, refs: random.pick(['all', 'work']), awayMs };
    case 'worker':
    case 'agent':
    case 'gate':
      return { victim };
  }
}
