import { PHASES, type Phase } from './evidence.ts';
import type { Victim } from './plan.ts';
import type { Round } from './round.ts';

export type Totals = {
  rounds: number;
  kills: Readonly<Record<Victim, number>>;
  sessions: number;
  /** Sessions that lost their supervisor, by how far they had come. */
  adopted: Readonly<Record<Phase, number>>;
  acknowledged: number;
  commits: number;
  /** The seeds of rounds in which something did not hold. */
  failed: readonly number[];
};

const counted = (count: (phase: Phase) => number): Record<Phase, number> => ({
  'before it spoke': count('before it spoke'),
  'while it spoke': count('while it spoke'),
  'after its closing verb': count('after its closing verb'),
  'after its gates': count('after its gates'),
});

export const NO_TOTALS: Totals = {
  rounds: 0,
  kills: { supervisor: 0, group: 0, server: 0, agent: 0 },
  sessions: 0,
  adopted: counted(() => 0),
  acknowledged: 0,
  commits: 0,
  failed: [],
};

export function add(totals: Totals, { seed, kills, evidence, violations }: Round): Totals {
  const count = (victim: Victim): number =>
    totals.kills[victim] + kills.filter((kill) => kill.victim === victim).length;
  return {
    rounds: totals.rounds + 1,
    kills: {
      supervisor: count('supervisor'),
      group: count('group'),
      server: count('server'),
      agent: count('agent'),
    },
    sessions: totals.sessions + evidence.sessions.length,
    adopted: counted(
      (phase) => totals.adopted[phase] + evidence.adopted.filter((one) => one.phase === phase).length,
    ),
    acknowledged: totals.acknowledged + evidence.acknowledged.length,
    commits: totals.commits + evidence.commits.length,
    failed: violations.length === 0 ? totals.failed : [...totals.failed, seed],
  };
}

export function report({ rounds, kills, sessions, adopted, acknowledged, commits, failed }: Totals): string {
  const { supervisor, group, server, agent } = kills;
  return [
    `${rounds} rounds, ${sessions} sessions, ${supervisor + group + server + agent} kills: supervisor ${supervisor}, supervisor with its git ${group}, server ${server}, agent ${agent}.`,
    `Sessions that lost their supervisor: ${PHASES.map((phase) => `${adopted[phase]} ${phase}`).join(', ')}.`,
    `${acknowledged} acknowledged signals, ${commits} commits.`,
    failed.length === 0 ? 'Everything held.' : `Failed: seeds ${failed.join(', ')}.`,
  ].join('\n');
}
