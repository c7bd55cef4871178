import { VICTIMS, type Victim } from './disturbance.ts';
import { PHASES, type Phase } from './evidence.ts';
import type { Round } from './round.ts';

export type Totals = {
  rounds: number;
  disturbed: ReadonlyMap<Victim, number>;
  sessions: number;
  /** Sessions that lost their supervisor, by how far they had come. */
  adopted: ReadonlyMap<Phase, number>;
  acknowledged: number;
  commits: number;
  /** How often a gate refused work that is green apart and red together. */
  collisions: number;
  /** The seeds of rounds in which something did not hold. */
  failed: readonly number[];
};

export const NO_TOTALS: Totals = {
  rounds: 0,
  disturbed: new Map(),
  sessions: 0,
  adopted: new Map(),
  acknowledged: 0,
  commits: 0,
  collisions: 0,
  failed: [],
};

export function add(totals: Totals, { seed, disturbed, evidence, violations }: Round): Totals {
  return {
    rounds: totals.rounds + 1,
    disturbed: counted(
      totals.disturbed,
      disturbed.map(({ victim }) => victim),
    ),
    sessions: totals.sessions + evidence.sessions.length,
    adopted: counted(
      totals.adopted,
      evidence.adopted.map(({ phase }) => phase),
    ),
    acknowledged: totals.acknowledged + evidence.acknowledged.length,
    commits: totals.commits + evidence.branches.flatMap(({ taskCommits }) => taskCommits).length,
    collisions:
      totals.collisions +
      evidence.gatesSeen.filter((gate) => gate.event === 'fail' && gate.isCollision).length,
    failed: violations.length === 0 ? totals.failed : [...totals.failed, seed],
  };
}

function counted<Key>(before: ReadonlyMap<Key, number>, keys: readonly Key[]): Map<Key, number> {
  const after = new Map(before);
  for (const key of keys) after.set(key, (after.get(key) ?? 0) + 1);
  return after;
}

/** `agent`: who worked, as the table of docs/faults.md names it. */
export function report(totals: Totals, agent: string): string {
  const { rounds, disturbed, sessions, adopted, acknowledged, commits, collisions, failed } = totals;
  const cells = [
    rounds,
    agent,
    sessions,
    ...VICTIMS.map((victim) => disturbed.get(victim) ?? 0),
    acknowledged,
    commits,
    failed.length === 0 ? 'none' : failed.length,
  ];
  const columns = ['rounds', 'agent', 'sessions', ...VICTIMS, 'acknowledged signals', 'commits', 'failed'];
  return [
    `| ${columns.join(' | ')} |`,
    `|${columns.map(() => '---').join('|')}|`,
    `| ${cells.join(' | ')} |`,
    '',
    `Sessions that lost their supervisor: ${PHASES.map((phase) => `${adopted.get(phase) ?? 0} ${phase}`).join(', ')}.`,
    `Landings that gates refused because two tasks were red together: ${collisions}.`,
  ].join('\n');
}
