// What eight lanes waste: sessions whose work does not fit, and gates that run more than once for a landed task.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Bench, BenchRow } from './measure.ts';
import { makeProject } from './project.ts';

const JOBS = 8;
const TASKS = 40;

type Parallel = { landed: number; conflicts: number };

async function runLanes(folder: string, config: object, tasks: readonly object[]): Promise<Parallel> {
  const command = [resolve('scripts/bench/agents/shared-file.sh')];
  const agents = { mine: { command, protocol: 'sigils' } };
  const project = await makeProject(folder, { config: { agent: 'mine', agents, ...config }, tasks });
  await project.ralph('run', '--jobs', String(JOBS));
  const { parallel } = JSON.parse(await project.ralph('report', '--json')) as { parallel: Parallel };
  if (parallel.landed !== tasks.length) throw new Error(`${parallel.landed} of ${tasks.length} tasks landed`);
  return parallel;
}

const own = (index: number) => ({ title: `Build part ${index + 1}` });
const shared = (index: number) => ({
  title: `Build shared part ${index + 1}`,
  output_artifacts: ['shared.txt'],
});

export const lostToConflicts: Bench = async (folder) => {
  const tasks = Array.from({ length: TASKS }, (_, index) => (index % 2 === 0 ? shared(index) : own(index)));
  const { conflicts } = await runLanes(folder, {}, tasks);
  return [row('sessions lost to conflicts a task, half of the tasks on one file', conflicts, 0.05)];
};

/** Counted by the gate itself: Ralph stores no result of a prediction that it threw away. */
export const gateRunsSpeculating: Bench = async (folder) => {
  const count = join(folder, 'gate-runs');
  const config = {
    gates: [{ name: 'test', command: `echo >> ${count}; sleep 0.3` }],
    slots: { gates_at_once: 4 },
    land: { speculate: true },
  };
  await runLanes(
    folder,
    config,
    Array.from({ length: TASKS }, (_, index) => own(index)),
  );
  const runs = readFileSync(count, 'utf8').length;
  return [row('gate runs a landed task with speculation', runs, 1.3)];
};

const row = (what: string, count: number, atMost: number): BenchRow => ({
  name: `${what}, ${TASKS} tasks in ${JOBS} lanes`,
  ratio: count / TASKS,
  atMost,
  detail: `${count} of ${TASKS}`,
});
