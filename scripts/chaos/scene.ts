// The state of one round while it is played: the run that works, and what the harness has seen of earlier ones.
import type { PersonLog } from './disturb/person-log.ts';
import type { SecondTree } from './disturb/second-tree.ts';
import type { Process } from './processes.ts';
import type { ChaosProject, Programs } from './project.ts';
import { type Running, startRun } from './running.ts';

export type RunEnd = {
  pid: number;
  code: number | null;
  output: string;
  /** The harness ended it. */
  killed: boolean;
  /** Git failed under it, or a person got in its way: it may end with a refusal. */
  mayBeRefused: boolean;
};

/** Runs that were tried against each other. */
export type Contest = {
  /** `together`: at the same moment. `beside`: while another run had its row open. `elsewhere`: in the second work tree, after a kill. */
  kind: 'together' | 'beside' | 'elsewhere';
  /** The process of the run that went on to work; null where there was none. */
  worker: number | null;
  /** The others. */
  runs: RunEnd[];
};

/** A process that was alive after its supervisor was dead for longer than the grace. */
export type Survivor = Process & { part: 'session' | 'gate' };

export type Scene = {
  readonly project: ChaosProject;
  readonly programs: Programs;
  /** While the person amends or rebases, a change of theirs keeps their branch from landed work. */
  readonly isInTheWay: boolean;
  /** Null between two runs. */
  running: Running | null;
  mayBeRefused: boolean;
  readonly ends: RunEnd[];
  readonly contests: Contest[];
  readonly survivors: Survivor[];
  readonly person: PersonLog;
  secondTree: SecondTree | null;
};

export function requireRunning(scene: Scene): Running {
  scene.running ??= startRun(scene.project, scene.programs);
  return scene.running;
}

/** Waits for the end of the run and records it. */
export async function endRun(scene: Scene, { killed }: { killed: boolean }): Promise<RunEnd | null> {
  const { running, mayBeRefused } = scene;
  if (running === null) return null;
  const end = { pid: running.pid, ...(await running.ended), killed, mayBeRefused };
  scene.ends.push(end);
  scene.running = null;
  scene.mayBeRefused = false;
  return end;
}
