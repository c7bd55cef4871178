// A fleet as queues: its workers, the lock of the database, and the line of those that land. Time is simulated, in seconds.
import { seeded } from '../chaos/random.ts';
import { openAgenda } from './agenda.ts';

export type Fleet = {
  workers: number;
  tasks: number;
  /** Of an agent at work, on average. */
  workSeconds: number;
  /** Of the gates on the merged tree. */
  gateSeconds: number;
  /** To fetch the branch and to push it. */
  remoteSeconds: number;
  /** How long the writes of one task hold the lock of the database, all together. */
  lockSeconds: number;
  /** How many projects the workers are spread over: each has a queue and a branch of its own. */
  projects: number;
  /** The percentage of merges that a gate refuses: that work goes back to its agent. */
  redPercent: number;
};

export type Outcome = {
  perHour: number;
  /** Against workers that wait for nothing. */
  efficiency: number;
  /** The share of time in which locks are held, and in which lines are busy. */
  lockUse: number;
  lineUse: number;
};

/** Serves one after another, in the order of arrival. */
class Line {
  #freeAt = 0;
  busySeconds = 0;

  /** When a job is done that arrives at `at`. */
  serve(at: number, seconds: number): number {
    this.busySeconds += seconds;
    this.#freeAt = Math.max(this.#freeAt, at) + seconds;
    return this.#freeAt;
  }
}

export function simulate(fleet: Fleet): Outcome {
  const { workSeconds, gateSeconds, remoteSeconds, lockSeconds } = fleet;
  const random = seeded(1);
  const projects = Array.from({ length: fleet.projects }, () => ({ lock: new Line(), line: new Line() }));
  const landSeconds = gateSeconds + remoteSeconds;
  /** From a half to one and a half of the average. */
  const drawWork = (): number => (workSeconds * random.between(500, 1_500)) / 1_000;
  const agenda = openAgenda();
  // They do not start at the same moment.
  for (let worker = 0; worker < fleet.workers; worker++)
    agenda.add({ at: drawWork(), worker, step: 'claim' });
  let landed = 0;
  let now = 0;
  while (landed < fleet.tasks) {
    const { at, worker, step } = agenda.next();
    now = at;
    const { lock, line } = projects[worker % projects.length] as (typeof projects)[number];
    if (step === 'claim') {
      agenda.add({ at: lock.serve(at, lockSeconds / 2) + drawWork(), worker, step: 'land' });
    } else if (step === 'land') {
      agenda.add({ at: line.serve(at, landSeconds), worker, step: 'settle' });
    } else {
      if (random.between(1, 100) > fleet.redPercent) landed++;
      agenda.add({ at: lock.serve(at, lockSeconds / 2), worker, step: 'claim' });
    }
  }
  const ideal = fleet.workers / (workSeconds + landSeconds + lockSeconds);
  const use = (each: readonly Line[]): number =>
    Math.min(1, each.reduce((sum, { busySeconds }) => sum + busySeconds, 0) / each.length / now);
  return {
    perHour: (landed / now) * 3_600,
    efficiency: landed / now / ideal,
    lockUse: use(projects.map(({ lock }) => lock)),
    lineUse: use(projects.map(({ line }) => line)),
  };
}
