// One round: a project, runs that are killed, a run to the end, and everything compared.
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { promisify } from 'node:util';
import { judge } from './checks.ts';
import { type Evidence, gatherEvidence } from './evidence.ts';
import { killAt, plantLock } from './kill.ts';
import { startModel } from './model.ts';
import { type Plan, type PlanOptions, planRound, type Victim } from './plan.ts';
import { type ChaosProject, makeProject, type Programs } from './project.ts';
import { type Running, startRun } from './running.ts';

export type Killed = { victim: Victim; after: string };

export type Round = {
  seed: number;
  project: ChaosProject;
  kills: Killed[];
  evidence: Evidence;
  /** What does not hold, a line each; empty when all is well. */
  violations: string[];
};

export type RoundOptions = PlanOptions & {
  /** Leaves the project where it is. */
  keep?: boolean;
  /** False for a round in which nobody is killed. */
  kills?: boolean;
};

export async function runRound(seed: number, programs: Programs, options: RoundOptions = {}): Promise<Round> {
  const plan = planRound(seed, options);
  const model = options.claude === true ? await startModel(plan) : null;
  const scripted = (ledger: string): string =>
    `agent: scripted\nagents: { scripted: { command: ${JSON.stringify([process.execPath, programs.agent, ledger])} } }\n`;
  const made = makeProject(plan, programs, (ledger) => (model === null ? scripted(ledger) : ''));
  const project = {
    ...made,
    env: { ...made.env, ...model?.envFor(made.env['HOME'] ?? ''), RALPH_CHAOS: made.folder },
  };
  model?.writeTo(project.ledger);
  try {
    const { kills, runs } = await disturbedRuns(plan, project, programs, options.kills ?? true);
    const endings = await runToTheEnd(project, programs);
    const evidence = await gatherEvidence(plan, project, [...runs, ...endings]);
    return { seed, project, kills, evidence, violations: judge(evidence) };
  } finally {
    await model?.close();
    if (options.keep !== true) rmSync(project.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

export type RunEnd = { code: number | null; output: string; killed: boolean };

async function disturbedRuns(
  { kills }: Plan,
  project: ChaosProject,
  programs: Programs,
  isDisturbed: boolean,
): Promise<{ kills: Killed[]; runs: RunEnd[] }> {
  const done: Killed[] = [];
  const runs: RunEnd[] = [];
  let running: Running | null = null;
  for (const kill of isDisturbed ? kills : []) {
    running ??= startRun(project, programs);
    const victim = await killAt(project, running, kill);
    if (victim !== null) done.push({ victim, after: kill.moment.after });
    // An agent or a server is replaced by the run itself; a supervisor by the next run.
    if (victim === 'agent' || victim === 'server') continue;
    const ended = { ...(await running.ended), killed: victim !== null };
    runs.push(ended);
    running = null;
    if (victim !== null && kill.plantsLock) plantLock(project);
    if (victim === null && ended.code === 0) break;
    if (victim === null) await answerAll(project, programs);
  }
  if (running !== null) runs.push({ ...(await running.ended), killed: false });
  return { kills: done, runs };
}

/** More than any plan has questions for. */
const MOST_RUNS = 12;

async function runToTheEnd(project: ChaosProject, programs: Programs): Promise<RunEnd[]> {
  const runs: RunEnd[] = [];
  for (let run = 0; run < MOST_RUNS; run++) {
    const ended = { ...(await startRun(project, programs).ended), killed: false };
    runs.push(ended);
    // 10: a person has to answer first.
    if (ended.code !== 10) break;
    await answerAll(project, programs);
  }
  return runs;
}

type Asked = { questions: { id: number }[] };

async function answerAll({ root, env }: ChaosProject, { ralph }: Programs): Promise<void> {
  const run = async (...args: string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [ralph, ...args], { cwd: root, env })).stdout;
  const { questions }: Asked = JSON.parse(await run('status', '--json'));
  for (const { id } of questions) await run('answer', String(id), 'Either.');
}
