// What `npm run chaos` plays: rounds of one kind, one seed each, with totals for all of them.
import { VICTIMS } from './disturbance.ts';
import { MUTATIONS, type Mutation } from './mutations.ts';
import type { Programs } from './project.ts';
import { runRound } from './round.ts';
import { add, NO_TOTALS, report } from './totals.ts';

export type RoundKind = {
  /** What can be disturbed, by name. */
  victims: readonly string[];
  /** Faults that can be built in, by name, with the victims that bring each to light most often. */
  faults: Readonly<Record<string, Mutation<string>>>;
  /** How many rounds at the same time: a machine with more to do than cores shifts the moments. */
  atATime: number;
  open(programs: Programs, options: RoundsOptions): Promise<Rounds>;
};

export type RoundsOptions = {
  only: readonly string[];
  keep: boolean;
  small: boolean;
  claude: boolean;
  jobs: number;
  /** While the person amends or rebases, a change of theirs keeps their branch from landed work. */
  isInTheWay: boolean;
  /** Machines of a fleet; as many as the seed draws where it is null. */
  workers: number | null;
};

/** `line`: what happened. `folder`: where the project is, if it was kept. */
export type PlayedRound = { line: string; folder: string; violations: readonly string[] };

export type Rounds = {
  play(seed: number): Promise<PlayedRound>;
  report(): string;
  close(): Promise<void>;
};

/** `only`: names of `victims`, as the caller has checked. */
export const chosen = <Name extends string>(victims: readonly Name[], only: readonly string[]): Name[] =>
  victims.filter((victim) => only.includes(victim));

export const LOCAL: RoundKind = {
  victims: VICTIMS,
  faults: MUTATIONS,
  atATime: 2,
  open: async (programs, { only, ...options }) => {
    let totals = NO_TOTALS;
    return {
      play: async (seed) => {
        const round = await runRound(seed, programs, { ...options, only: chosen(VICTIMS, only) });
        totals = add(totals, round);
        const { disturbed, violations, scene, evidence } = round;
        const line = `${evidence.sessions.length} sessions, disturbed: ${eventList(disturbed)}`;
        return { line, folder: scene.project.folder, violations };
      },
      report: () => report(totals, options.claude ? 'the real `claude`' : 'scripted'),
      close: async () => {},
    };
  },
};

export const eventList = (events: readonly { victim: string; after: string; detail: string }[]): string =>
  events.map(({ victim, after, detail }) => `${victim}${detail && ` ${detail}`} (${after})`).join(', ') ||
  'not';
