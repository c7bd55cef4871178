// What disturbs a fleet, and when: drawn from the seed alone.
import type { Moment } from '../disturbance.ts';
import type { Random } from '../random.ts';

/**
 * `machine`: it loses its power. `worker`: its supervisor alone dies. `freeze`: it stands still for twice the lease. `cut`: it cannot
 * reach the database, the remote, or both. `slow`: the way to the database takes longer, for all. `answer`: the answer to a commit of
 * PostgreSQL is lost. `push`: a push breaks off.
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
  'slow',
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
  /** `apartMs`: between the first machine that reaches it again and the last one. */
  | { victim: 'postgres'; awayMs: number; apartMs: number }
  | { victim: 'freeze'; part: 'machine' | 'worker' }
  | { victim: 'cut'; links: readonly Link[]; way: 'stall' | 'refuse'; awayMs: number }
  | { victim: 'slow'; delayMs: number; awayMs: number }
  | { victim: 'answer'; commits: number }
  | { victim: 'push'; breaks: PushBreak }
  | { victim: 'refusal'; refs: 'all' | 'work'; awayMs: number };

/** While a machine lands: the push has not begun, or it has arrived and its answer has not. */
export const LANDING_MOMENTS = ['before a landing', 'after a landing'] as const;
export type LandingMoment = (typeof LANDING_MOMENTS)[number];
export const isLanding = (after: string): after is LandingMoment =>
  LANDING_MOMENTS.some((name) => name === after);
export type FleetMoment = Omit<Moment, 'after'> & { after: Moment['after'] | LandingMoment };

/** `machine`: the number of the machine that is hit, from 0; at a landing, the machine that lands is hit. */
export type FleetDisturbance = { moment: FleetMoment; machine: number } & Detail;
export type OfFleet<Name extends FleetVictim> = FleetDisturbance & { victim: Name };

/** Short, so that a round takes seconds. A computer with far more to do than cores needs more seconds. */
export const LEASE_MS = 1_000 * Number(process.env['RALPH_CHAOS_LEASE'] ?? 3);
export const HEARTBEAT_MS = LEASE_MS / 6;

/** How often a moment is drawn, its highest count, and the longest pause after it. */
const MOMENTS = {
  start: { weight: 1, count: 0, delayMs: 4_000 },
  acknowledged: { weight: 2, count: 4, delayMs: 250 },
  'gate begun': { weight: 2, count: 2, delayMs: 200 },
  'gate ended': { weight: 1, count: 2, delayMs: 200 },
  // Most is at stake then. Few victims can be hit there.
  'before a landing': { weight: 3, count: 1, delayMs: 0 },
  'after a landing': { weight: 3, count: 1, delayMs: 0 },
} as const;
type Drawn = keyof typeof MOMENTS;

const HIT_AT_A_LANDING: readonly FleetVictim[] = ['machine', 'worker', 'freeze', 'cut', 'postgres'];

export function planFleetDisturbance(
  random: Random,
  machines: number,
  only: readonly FleetVictim[],
): FleetDisturbance {
  const [first = 'machine', ...more] = only.length > 0 ? only : FLEET_VICTIMS;
  const victim = random.pick([first, ...more]);
  const after =
    victim === 'gate' ? 'gate begun' : victim === 'agent' ? 'acknowledged' : drawMoment(random, victim);
  const isShort = victim === 'agent' || victim === 'gate';
  const most = MOMENTS[after];
  const count = random.between(Math.min(1, most.count), most.count);
  const delayMs = random.between(0, isShort ? 60 : most.delayMs);
  const machine = random.between(0, machines - 1);
  return { moment: { after, count, delayMs }, machine, ...planDetail(random, victim) };
}

function drawMoment(random: Random, victim: FleetVictim): Drawn {
  const names = (Object.keys(MOMENTS) as Drawn[]).filter(
    (name) => !isLanding(name) || HIT_AT_A_LANDING.includes(victim),
  );
  const drawn = names.flatMap((name) => Array<Drawn>(MOMENTS[name].weight).fill(name));
  return random.pick(['start', ...drawn.slice(1)]);
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
      // Longer than the lease, so that all leases are over at once; or as long as a restart takes.
      return { victim, awayMs: random.pick([awayMs, LEASE_MS * 1.5]), apartMs: random.between(0, 1_000) };
    case 'freeze':
      return { victim, part: random.pick(['machine', 'worker']) };
    case 'cut':
      return {
        victim,
        links: random.pick<readonly Link[]>([['database'], ['remote'], ['database', 'remote']]),
        way: random.pick(['stall', 'refuse']),
        awayMs: random.pick([awayMs, LEASE_MS * 3]),
      };
    case 'slow':
      return { victim, delayMs: random.between(5, 40), awayMs: LEASE_MS * 2 };
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
