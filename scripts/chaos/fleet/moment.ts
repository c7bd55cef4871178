// Waits for the moment that a plan names, and finds the machine to disturb.
import { setTimeout as pause } from 'node:timers/promises';
import { targetsAmong } from '../disturb/kill.ts';
import { awaitMoment } from '../moment.ts';
import type { Running } from '../running.ts';
import { type FleetDisturbance, isLanding } from './disturbance.ts';
import { haltLanding } from './landing-push.ts';
import type { Machine } from './machine.ts';
import type { FleetScene } from './scene.ts';

type Watch = Pick<Running, 'isOver' | 'settled'>;

/** `release`: lets the machine go on, once it has been disturbed. */
export type Met = { machine: Machine; release(): void };

/** To look at processes takes a while, in which this process passes nothing on between machines and servers. */
const LOOK_EVERY_MS = 50;

/** Null if the round ended first. */
export async function meetMoment(
  { machines, remote, ledger }: FleetScene,
  watch: Watch,
  { moment, machine: planned }: FleetDisturbance,
): Promise<Met | null> {
  const { after, ...times } = moment;
  if (isLanding(after)) return haltLanding(machines, after, watch);
  await awaitMoment({ root: remote.bare, ledger }, watch, { after, ...times });
  const machine = await findBusy(machines, planned, watch);
  return machine === null ? null : { machine, release: () => {} };
}

/** The planned one, or the next one at work: a machine that waits for tasks has nothing to lose. */
async function findBusy(
  machines: readonly Machine[],
  planned: number,
  watch: Watch,
): Promise<Machine | null> {
  const inTurn = machines.map((_, index) => machines[(planned + index) % machines.length]);
  const isBusy = (machine: Machine): boolean => {
    const processes = machine.processes();
    return [...targetsAmong(processes, 'agent'), ...targetsAmong(processes, 'gate')].length > 0;
  };
  while (!watch.isOver()) {
    const found = inTurn.find((machine) => machine !== undefined && isBusy(machine));
    if (found !== undefined) return found;
    await pause(LOOK_EVERY_MS);
  }
  return null;
}
