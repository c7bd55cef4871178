// One round of a fleet: machines that are disturbed, healthy ones that finish the queue, and everything compared.
import { setTimeout as pause } from 'node:timers/promises';
import { signal } from '../processes.ts';
import type { Programs } from '../project.ts';
import { judgeFleet } from './checks.ts';
import { disturbFleet, type FleetEffect } from './disturb.ts';
import type { FleetVictim } from './disturbance.ts';
import { type FleetEvidence, gatherFleetEvidence } from './evidence.ts';
import type { Machine } from './machine.ts';
import { meetMoment } from './moment.ts';
import { type FleetPlan, type FleetPlanOptions, planFleetRound } from './plan.ts';
import { type FleetScene, makeFleet } from './scene.ts';
import { type FleetServer, query } from './server.ts';

export type FleetDisturbed = { victim: FleetVictim; after: string } & Omit<FleetEffect, 'healed'>;
export type RunOutput = { host: string; text: string };

export type FleetRound = {
  seed: number;
  folder: string;
  disturbed: FleetDisturbed[];
  evidence: FleetEvidence;
  /** How long the workers took to end. */
  drainMs: number;
  violations: string[];
};

export type FleetRoundOptions = FleetPlanOptions & { keep?: boolean };

/** Only a fleet that hangs needs longer. */
const DEADLINE_MS = 600_000;
const DRAIN_MS = 240_000;
const LOOK_EVERY_MS = 300;

export async function runFleetRound(
  seed: number,
  programs: Programs,
  server: FleetServer,
  options: FleetRoundOptions = {},
): Promise<FleetRound> {
  const plan = planFleetRound(seed, options);
  const scene = await makeFleet(plan, programs, server);
  try {
    const watch = watchQueue(scene);
    const disturbed = await playRound(plan, scene, watch);
    const before = performance.now();
    const hung = await drain(scene.machines);
    const drainMs = performance.now() - before;
    const lastCodes = await finish(scene.machines);
    const processes = scene.machines.flatMap((machine) => machine.processes());
    const outputs = scene.machines.map(({ name, output }) => ({ host: name, text: output() }));
    const played = { disturbed, processes, outputs, lastCodes, hung };
    const evidence = await gatherFleetEvidence(plan, scene, played);
    return { seed, folder: scene.folder, disturbed, evidence, drainMs, violations: judgeFleet(evidence) };
  } finally {
    await scene.close({ keep: options.keep === true });
  }
}

type QueueWatch = { isOver(): boolean; settled(): number; over: Promise<void> };

/** Over when every task is done and no session is open. */
function watchQueue({ url }: FleetScene): QueueWatch {
  const began = performance.now();
  let isOver = false;
  const look = async (): Promise<boolean> => {
    const [row] = await query<{ count: number; open: number; sessions: number }>(
      url,
      `select count(*) as count, count(*) filter (where status <> 'done') as open,
         (select count(*) from sessions where ended is null) as sessions from tasks`,
    );
    return row !== undefined && row.count > 0 && row.open + row.sessions === 0;
  };
  const over = (async () => {
    while (!isOver && performance.now() - began < DEADLINE_MS) {
      await pause(LOOK_EVERY_MS);
      // The server may be down at the moment.
      isOver = await look().catch(() => false);
    }
    isOver = true;
  })();
  return { isOver: () => isOver, settled: () => 0, over };
}

async function playRound(plan: FleetPlan, scene: FleetScene, watch: QueueWatch): Promise<FleetDisturbed[]> {
  const disturbed: FleetDisturbed[] = [];
  const healing: Promise<void>[] = [];
  await Promise.all(scene.machines.map((machine) => machine.start()));
  const keeper = keepStarted(scene.machines);
  try {
    for (const disturbance of plan.disturbances) {
      const { victim, moment } = disturbance;
      const met = await meetMoment(scene, watch, disturbance);
      if (met === null) break;
      const effect = await disturbFleet(scene, watch, met.machine, disturbance);
      met.release();
      if (effect === null) continue;
      const { healed, ...about } = effect;
      disturbed.push({ victim, after: moment.after, ...about });
      healing.push(healed);
      // A server that is down cannot be killed, and hides what else is disturbed.
      if (victim === 'postgres') await healed;
    }
    await Promise.all(healing);
    await watch.over;
    return disturbed;
  } finally {
    await keeper.end();
  }
}

/** As a service manager does: a worker that ended is started again. */
function keepStarted(machines: readonly Machine[]): { end(): Promise<void> } {
  let isEnding = false;
  const restarts = (async () => {
    while (!isEnding) {
      await pause(LOOK_EVERY_MS);
      for (const machine of machines) if (machine.isOn() && !isEnding) await machine.start();
    }
  })();
  return {
    end: () => {
      isEnding = true;
      return restarts;
    },
  };
}

/** Answers with the machines whose worker did not end by itself. */
async function drain(machines: readonly Machine[]): Promise<string[]> {
  const hung: string[] = [];
  await Promise.all(
    machines.map(async (machine) => {
      const worker = await machine.startedWorker();
      const late = setTimeout(() => {
        if (worker !== null && signal(worker, 'SIGKILL')) hung.push(machine.name);
      }, DRAIN_MS);
      if (worker !== null) signal(worker, 'SIGTERM');
      await machine.ended();
      clearTimeout(late);
    }),
  );
  return hung;
}

/** The next start on each machine finds nothing to do, and removes what was left there and on the remote. */
const finish = (machines: readonly Machine[]): Promise<(number | null)[]> =>
  Promise.all(machines.map(async (machine) => (await machine.run(['run', '--json'], DRAIN_MS)).code));
