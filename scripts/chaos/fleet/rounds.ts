// Rounds of a fleet, on one server for all of them.
import { postgresProblem } from '../../postgres.ts';
import { chosen, eventList, type RoundKind } from '../rounds.ts';
import { FLEET_VICTIMS, type FleetVictim } from './disturbance.ts';
import { machineProblem } from './machine.ts';
import { FLEET_MUTATIONS } from './mutations.ts';
import { type FleetRound, runFleetRound } from './round.ts';
import { startFleetServer } from './server.ts';

/** The sentence says why no fleet can be played here; null if one can. */
export const fleetProblem = (): string | null => postgresProblem() ?? machineProblem();

export const FLEET: RoundKind = {
  victims: FLEET_VICTIMS,
  faults: FLEET_MUTATIONS,
  atATime: 1,
  open: async (programs, { only, keep, small, workers }) => {
    const problem = fleetProblem();
    if (problem !== null) throw new Error(`Rounds of a fleet cannot be played here: ${problem}.`);
    const server = await startFleetServer();
    const rounds: FleetRound[] = [];
    const options = {
      keep,
      small,
      only: chosen(FLEET_VICTIMS, only),
      ...(workers !== null && { machines: workers }),
    };
    return {
      play: async (seed) => {
        const round = await runFleetRound(seed, programs, server, options);
        rounds.push(round);
        const { folder, violations, disturbed, evidence, drainMs } = round;
        const { sessions, takenOver, plan } = evidence;
        const line = `${plan.machines.length} machines, ${sessions.length} sessions, ${takenOver.length} taken over, drained in ${(drainMs / 1_000).toFixed(1)} s, disturbed: ${eventList(disturbed)}`;
        return { line, folder, violations };
      },
      report: () => reportFleet(rounds),
      close: server.stop,
    };
  },
};

function reportFleet(rounds: readonly FleetRound[]): string {
  const sum = (count: (round: FleetRound) => number): number =>
    rounds.reduce((total, round) => total + count(round), 0);
  const hits = (name: FleetVictim): number =>
    sum(({ disturbed }) => disturbed.filter(({ victim }) => victim === name).length);
  const failed = rounds.filter(({ violations }) => violations.length > 0);
  const columns = ['rounds', 'machines', 'sessions', 'taken over', ...FLEET_VICTIMS, 'commits', 'failed'];
  const cells = [
    rounds.length,
    sum(({ evidence }) => evidence.plan.machines.length),
    sum(({ evidence }) => evidence.sessions.length),
    sum(({ evidence }) => evidence.takenOver.length),
    ...FLEET_VICTIMS.map(hits),
    sum(({ evidence }) => evidence.branches.flatMap(({ taskCommits }) => taskCommits).length),
    failed.length === 0 ? 'none' : failed.length,
  ];
  return [
    `| ${columns.join(' | ')} |`,
    `|${columns.map(() => '---').join('|')}|`,
    `| ${cells.join(' | ')} |`,
  ].join('\n');
}
