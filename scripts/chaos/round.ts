// One round: a project, runs that are disturbed, a run to the end, and everything compared.
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { delimiter } from 'node:path';
import { promisify } from 'node:util';
import { judge } from './checks.ts';
import { disturb } from './disturb/index.ts';
import { beginAsPerson } from './disturb/person.ts';
import { newPersonLog } from './disturb/person-log.ts';
import type { Victim } from './disturbance.ts';
import { type Evidence, gatherEvidence } from './evidence.ts';
import { startModel } from './model.ts';
import { type Plan, type PlanOptions, planRound } from './plan.ts';
import { type ChaosProject, makeProject, type Programs, scriptedAgent } from './project.ts';
import { endRun, requireRunning, type Scene } from './scene.ts';

/** A disturbance that took place. `detail`: which of its ways, or empty. */
export type Disturbed = { victim: Victim; after: string; detail: string };

export type Round = {
  seed: number;
  scene: Scene;
  disturbed: Disturbed[];
  evidence: Evidence;
  /** What does not hold, a line each; empty when all is well. */
  violations: string[];
};

export type RoundOptions = PlanOptions & {
  /** Leaves the project where it is. */
  keep?: boolean;
  isInTheWay?: boolean;
  /** True for a round in which nothing happens. */
  undisturbed?: boolean;
};

export async function runRound(seed: number, programs: Programs, options: RoundOptions = {}): Promise<Round> {
  const plan = planRound(seed, options);
  const model = options.claude === true ? await startModel(plan) : null;
  const made = makeProject(plan, programs, (ledger) =>
    model === null ? scriptedAgent(programs, ledger) : '',
  );
  const { folder, bin } = made;
  const env: ChaosProject['env'] = {
    ...made.env,
    ...model?.envFor(made.env['HOME'] ?? ''),
    RALPH_CHAOS: folder,
  };
  // The model brings a PATH of its own; the git that can be told to die stays in front of it.
  const project = { ...made, env: { ...env, PATH: `${bin}${delimiter}${env['PATH'] ?? ''}` } };
  model?.writeTo(project.ledger);
  const scene = newScene(project, programs, options);
  beginAsPerson(scene);
  try {
    const disturbed = options.undisturbed === true ? [] : await disturbedRuns(plan, scene);
    await runToTheEnd(scene);
    const evidence = gatherEvidence(plan, scene, disturbed);
    return { seed, scene, disturbed, evidence, violations: judge(evidence) };
  } finally {
    await model?.close();
    if (options.keep !== true) rmSync(project.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const newScene = (
  project: ChaosProject,
  programs: Programs,
  { isInTheWay = false }: RoundOptions,
): Scene => ({
  project,
  programs,
  isInTheWay,
  running: null,
  mayBeRefused: false,
  ends: [],
  contests: [],
  survivors: [],
  person: newPersonLog(project.begin),
  secondTree: null,
});

async function disturbedRuns({ disturbances }: Plan, scene: Scene): Promise<Disturbed[]> {
  const done: Disturbed[] = [];
  for (const disturbance of disturbances) {
    const { victim, moment } = disturbance;
    const detail = await disturb(scene, disturbance);
    if (detail !== null) done.push({ victim, after: moment.after, detail });
    // A run that the disturbance left alone goes on through the next one.
    if (scene.running?.isOver() !== true) continue;
    const end = await endRun(scene, { killed: false });
    if (end?.code === 0) break;
    await answerAll(scene);
  }
  if (scene.running !== null) await endRun(scene, { killed: false });
  return done;
}

/** More than any plan has questions for. */
const MOST_RUNS = 12;

async function runToTheEnd(scene: Scene): Promise<void> {
  for (let run = 0; run < MOST_RUNS; run++) {
    await answerAll(scene);
    requireRunning(scene);
    const end = await endRun(scene, { killed: false });
    // 10: a person has to answer first.
    if (end?.code !== 10) return;
  }
}

type Asked = { questions: { id: number }[] };

async function answerAll({ project: { root, env }, programs: { ralph } }: Scene): Promise<void> {
  const run = async (...args: string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [ralph, ...args], { cwd: root, env })).stdout;
  const { questions }: Asked = JSON.parse(await run('status', '--json'));
  // Refused while a run is at work, because no terminal is here: the run then stops and asks again.
  for (const { id } of questions) await run('answer', String(id), 'Either.').catch(() => {});
}
