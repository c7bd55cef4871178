// What disturbs a round, and when: drawn from the seed alone, so that a round can be repeated.
import type { Random } from './random.ts';

/**
 * `group`: the supervisor together with its git. `rivals`: more runs at once. `worktree`: a second work tree. `slots`: the
 * supervisor and all slots, while work is judged.
 */
export const VICTIMS = [
  'supervisor',
  'group',
  'server',
  'agent',
  'git',
  'gate',
  'gc',
  'rivals',
  'freeze',
  'hangup',
  'person',
  'worktree',
  'slots',
] as const;
export type Victim = (typeof VICTIMS)[number];

/** The event to wait for, how often, and the pause after it. */
export type Moment = {
  after: 'start' | 'acknowledged' | 'gate begun' | 'gate ended' | 'session settled' | 'work set aside';
  count: number;
  delayMs: number;
};

export const PERSON_ACTS = ['commit', 'line', 'amend', 'rebase', 'switch', 'edit', 'stage'] as const;
export type PersonAct = (typeof PERSON_ACTS)[number];

type Detail =
  | {
      victim: 'supervisor' | 'group';
      /** Leaves the lock that git leaves when it dies while it writes the index. */
      plantsLock: boolean;
      /** Waits until the session has ended by itself; otherwise the next run starts at once. */
      awaitsEnd: boolean;
    }
  | { victim: 'server' | 'agent' | 'gate' }
  | { victim: 'hangup' }
  | { victim: 'worktree' }
  | { victim: 'slots' }
  | { victim: 'git'; call: number; dies: 'before' | 'after' }
  | { victim: 'gc'; command: readonly string[] }
  | { victim: 'rivals'; runs: number }
  | { victim: 'freeze'; extraMs: number }
  | { victim: 'person'; act: PersonAct; awayMs: number };

export type Disturbance = { moment: Moment } & Detail;

/** The disturbance of one victim, with its details. */
export type Of<Name extends Victim> = Disturbance & { victim: Name };

/** Victims that are drawn more often than once in a full turn. */
const MORE_OFTEN: readonly Victim[] = ['supervisor', 'group', 'git', 'person', 'person'];

const MOMENTS: Readonly<Record<Victim, readonly [Moment['after'], ...Moment['after'][]]>> = {
  supervisor: ['start', 'acknowledged', 'acknowledged', 'gate begun', 'gate ended', 'session settled'],
  group: ['start', 'acknowledged', 'gate begun', 'gate ended', 'gate ended', 'session settled'],
  server: ['acknowledged'],
  agent: ['acknowledged'],
  git: ['start', 'acknowledged', 'gate begun', 'gate ended', 'session settled'],
  gate: ['gate begun'],
  gc: ['acknowledged', 'gate begun', 'gate ended', 'session settled', 'work set aside', 'work set aside'],
  rivals: ['start', 'acknowledged', 'gate begun', 'session settled'],
  freeze: ['start', 'acknowledged', 'acknowledged', 'gate begun', 'gate ended', 'session settled'],
  hangup: ['start', 'acknowledged', 'acknowledged', 'gate begun', 'gate ended', 'session settled'],
  person: ['start', 'acknowledged', 'acknowledged', 'gate begun', 'gate ended', 'session settled'],
  worktree: ['acknowledged', 'acknowledged', 'gate begun', 'gate ended'],
  slots: ['start'],
};

export type RoundKind = { claude: boolean; jobs: number };

/** Beside the judged session, others would lose what is only in their slots. */
const isPossible = (victim: Victim, { jobs }: RoundKind): boolean => victim !== 'slots' || jobs === 1;

export function planDisturbance(random: Random, kind: RoundKind, only: readonly Victim[] = []): Disturbance {
  const drawn = only.length > 0 ? only : [...VICTIMS, ...MORE_OFTEN];
  const [first, ...more] = drawn.filter((victim) => isPossible(victim, kind));
  const victim = random.pick([first ?? 'supervisor', ...more]);
  const moment = planMoment(random, victim, kind.claude);
  return { moment, ...planDetail(random, victim, kind) };
}

function planMoment(random: Random, victim: Victim, claude: boolean): Moment {
  const after = random.pick(MOMENTS[victim]);
  // An agent calls its tools within milliseconds of each other; after a longer pause it has ended.
  const isShort = victim === 'server' || victim === 'agent';
  const most = {
    start: claude ? 2_500 : 1_500,
    acknowledged: isShort ? 60 : 250,
    'gate begun': victim === 'gate' ? 60 : 200,
    'gate ended': 120,
    'session settled': 150,
    'work set aside': 300,
  };
  // A run needs a moment before there is anything to disturb.
  const least = after === 'start' ? 250 : 0;
  const count = after === 'start' ? 0 : after === 'acknowledged' ? random.between(1, 4) : 1;
  return { after, count, delayMs: random.between(least, most[after]) };
}

/** A session of three steps needs about twenty calls of git. */
const MOST_CALLS = 24;

function planDetail(random: Random, victim: Victim, { claude }: RoundKind): Detail {
  switch (victim) {
    case 'supervisor':
      return { victim, plantsLock: false, awaitsEnd: random.chance(0.4) };
    case 'group':
      return { victim, plantsLock: random.chance(0.4), awaitsEnd: random.chance(0.4) };
    case 'git':
      return { victim, call: random.between(1, MOST_CALLS), dies: random.pick(['before', 'after']) };
    case 'gc':
      return {
        victim,
        command: random.pick([
          ['gc', '--prune=now', '--quiet'],
          ['repack', '-a', '-d', '-q'],
        ]),
      };
    case 'rivals':
      return { victim, runs: claude ? 2 : random.pick([2, 8]) };
    case 'freeze':
      return { victim, extraMs: random.between(0, 1_000) };
    case 'person':
      return {
        victim,
        act: random.pick(PERSON_ACTS),
        awayMs: random.between(0, claude ? 1_500 : 700),
      };
    case 'hangup':
    case 'worktree':
    case 'slots':
    case 'server':
    case 'agent':
    case 'gate':
      return { victim };
  }
}
