// Carries a disturbance of a fleet out. What passes by itself, such as an outage, heals later, while the next one is under way.
import { setTimeout as pause } from 'node:timers/promises';
import { killNextCall } from '../disturb/git-call.ts';
import { targetsAmong } from '../disturb/kill.ts';
import { signal } from '../processes.ts';
import { type FleetDisturbance, LEASE_MS, type OfFleet } from './disturbance.ts';
import type { Machine } from './machine.ts';
import type { FleetScene } from './scene.ts';

/** `detail`: which of its ways. `healed`: resolves when its cause has passed. */
export type FleetEffect = { detail: string; healed: Promise<void> };

/** Ends when the round does. */
type Watch = { isOver(): boolean };

const NOW = Promise.resolve();
/** To look at processes takes a while, in which this process passes nothing on between machines and servers. */
const LOOK_EVERY_MS = 50;

/** Null if there was nothing to disturb. */
export async function disturbFleet(
  scene: FleetScene,
  watch: Watch,
  machine: Machine,
  disturbance: FleetDisturbance,
): Promise<FleetEffect | null> {
  const { name } = machine;
  switch (disturbance.victim) {
    case 'machine':
      scene.absent.add(name);
      await machine.cutPower();
      return { detail: name, healed: pause(disturbance.awayMs).then(() => machine.start()) };
    case 'worker':
      scene.absent.add(name);
      return signal(machine.worker() ?? 0, 'SIGKILL') ? { detail: name, healed: NOW } : null;
    case 'agent':
    case 'gate':
      return killPart(scene, watch, disturbance.victim);
    case 'git': {
      const death = await killNextCall(machine.folder, watch, disturbance);
      return death === null ? null : { detail: `${name} ${death}`, healed: NOW };
    }
    case 'postgres':
      return killServer(scene, disturbance);
    case 'freeze':
      return freeze(scene, machine, disturbance);
    case 'cut':
      return cutOff(scene, machine, disturbance);
    case 'slow':
      return slowDown(scene, disturbance);
    case 'answer': {
      const isLost = await either(machine.links.database.loseCommits(disturbance.commits), watch);
      return isLost ? { detail: `${disturbance.commits} of ${name}`, healed: NOW } : null;
    }
    case 'push': {
      const isBroken = await either(machine.links.remote.breakPush(disturbance.breaks), watch);
      return isBroken ? { detail: `${name} ${disturbance.breaks}`, healed: unlock(scene) } : null;
    }
    case 'refusal':
      scene.remote.refuse(disturbance.refs);
      return { detail: disturbance.refs, healed: pause(disturbance.awayMs).then(scene.remote.accept) };
  }
}

async function killPart(
  { machines }: FleetScene,
  watch: Watch,
  victim: 'agent' | 'gate',
): Promise<FleetEffect | null> {
  for (let looks = 0; !watch.isOver(); looks++) {
    const machine = machines[looks % machines.length];
    const targets = targetsAmong(machine?.processes() ?? [], victim);
    if (targets.some((pid) => signal(pid, 'SIGKILL'))) return { detail: machine?.name ?? '', healed: NOW };
    await pause(LOOK_EVERY_MS);
  }
  return null;
}

/** Each machine reaches the server again at another moment. */
async function killServer(
  { server, machines }: FleetScene,
  { awayMs, apartMs, machine: first }: OfFleet<'postgres'>,
): Promise<FleetEffect> {
  for (const { links } of machines) links.database.cut('refuse');
  await server.kill();
  const comeBack = async (): Promise<void> => {
    await pause(awayMs);
    await server.restart();
    for (const index of machines.keys()) {
      machines[(first + index) % machines.length]?.links.database.heal();
      await pause(apartMs / (machines.length - 1));
    }
  };
  return { detail: `for ${awayMs} ms`, healed: comeBack() };
}

async function slowDown(
  { machines }: FleetScene,
  { delayMs, awayMs }: OfFleet<'slow'>,
): Promise<FleetEffect> {
  const set = (milliseconds: number): void => {
    for (const { links } of machines) links.database.delay(milliseconds);
  };
  set(delayMs);
  return { detail: `by ${delayMs} ms`, healed: pause(awayMs).then(() => set(0)) };
}

/** It wakes when its lease is long over, and does not know. */
async function freeze(
  { absent }: FleetScene,
  machine: Machine,
  { part }: OfFleet<'freeze'>,
): Promise<FleetEffect | null> {
  const worker = machine.worker();
  if (worker === null) return null;
  absent.add(machine.name);
  const stopped = new Set<number>();
  const stop = (): void => {
    const pids = part === 'worker' ? [worker] : machine.processes().map(({ pid }) => pid);
    for (const pid of pids) if (signal(pid, 'SIGSTOP')) stopped.add(pid);
  };
  // Twice: a process may have been started between the look and the signal.
  stop();
  stop();
  const healed = pause(2 * LEASE_MS).then(() => machine.wake(stopped));
  return { detail: `${part} of ${machine.name}`, healed };
}

async function cutOff(
  { absent }: FleetScene,
  machine: Machine,
  { links, way, awayMs }: OfFleet<'cut'>,
): Promise<FleetEffect> {
  if (links.includes('database')) absent.add(machine.name);
  for (const link of links) machine.links[link].cut(way);
  const heal = (): void => {
    for (const link of links) machine.links[link].heal();
  };
  return { detail: `${way} ${links.join(' and ')} of ${machine.name}`, healed: pause(awayMs).then(heal) };
}

/** Git on the server ends when it notices that nobody is there, and leaves its locks. */
async function unlock({ remote }: FleetScene): Promise<void> {
  await pause(1_000);
  remote.removeLocks();
}

/** False if the round ended first. */
async function either(happened: Promise<void>, watch: Watch): Promise<boolean> {
  let hasHappened = false;
  void happened.then(() => {
    hasHappened = true;
  });
  while (!hasHappened && !watch.isOver()) await pause(LOOK_EVERY_MS);
  return hasHappened;
}
