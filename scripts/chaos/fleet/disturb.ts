// Carries a disturbance of a fleet out. What passes by itself, such as an outage, heals later, while the next one is under way.
import { setTimeout as pause } from 'node:timers/promises';
import { killNextCall } from '../disturb/git-call.ts';
import { targetsAmong } from '../disturb/kill.ts';
import { signal } from '../processes.ts';
import { type FleetDisturbance, LEASE_MS, type OfFleet } from './disturbance.ts';
import type { Machine } from './machine.ts';
import type { Absence, FleetScene } from './scene.ts';

/**
 * `machine`: the only one that it hit; null for all. `session`: the one whose agent died. `detail`: which of its ways. `healed`:
 * resolves when its cause has passed.
 */
export type FleetEffect = {
  machine: string | null;
  session?: string;
  detail: string;
  healed: Promise<void>;
};

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
      beginAbsence(scene, machine);
      await machine.cutPower();
      return { machine: name, detail: name, healed: pause(disturbance.awayMs).then(() => machine.start()) };
    case 'worker': {
      const worker = machine.worker();
      if (worker === null || !signal(worker, 'SIGKILL')) return null;
      beginAbsence(scene, machine);
      return { machine: name, detail: name, healed: NOW };
    }
    case 'agent':
    case 'gate':
      return killPart(scene, watch, disturbance.victim);
    case 'git': {
      const death = await killNextCall(machine.folder, watch, disturbance);
      return death === null ? null : { machine: name, detail: `${name} ${death}`, healed: NOW };
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
      const { database } = machine.links;
      const isLost = await either(database.loseCommits(disturbance.commits), watch, database.disarm);
      return isLost ? { machine: name, detail: `${disturbance.commits} of ${name}`, healed: NOW } : null;
    }
    case 'push': {
      const { remote } = machine.links;
      const isBroken = await either(remote.breakPush(disturbance.breaks), watch, remote.disarm);
      return isBroken
        ? { machine: name, detail: `${name} ${disturbance.breaks}`, healed: unlock(scene) }
        : null;
    }
    case 'refusal':
      scene.remote.refuse(disturbance.refs);
      return {
        machine: null,
        detail: disturbance.refs,
        healed: pause(disturbance.awayMs).then(scene.remote.accept),
      };
  }
}

const SESSION_MARK = 'RALPH_SESSION_ID=';

async function killPart(
  { machines }: FleetScene,
  watch: Watch,
  victim: 'agent' | 'gate',
): Promise<FleetEffect | null> {
  for (let looks = 0; !watch.isOver(); looks++) {
    const machine = machines[looks % machines.length];
    const processes = machine?.processes() ?? [];
    const hit = targetsAmong(processes, victim).find((pid) => signal(pid, 'SIGKILL'));
    if (machine !== undefined && hit !== undefined) {
      const marks = processes.find(({ pid }) => pid === hit)?.marks ?? [];
      const session = marks.find((mark) => mark.startsWith(SESSION_MARK))?.slice(SESSION_MARK.length) ?? '';
      return { machine: machine.name, session, detail: machine.name, healed: NOW };
    }
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
  return { machine: null, detail: `for ${awayMs} ms`, healed: comeBack() };
}

async function slowDown(
  { machines }: FleetScene,
  { delayMs, awayMs }: OfFleet<'slow'>,
): Promise<FleetEffect> {
  const set = (milliseconds: number): void => {
    for (const { links } of machines) links.database.delay(milliseconds);
  };
  set(delayMs);
  return { machine: null, detail: `by ${delayMs} ms`, healed: pause(awayMs).then(() => set(0)) };
}

/** It wakes when its lease is long over, and does not know. */
async function freeze(
  scene: FleetScene,
  machine: Machine,
  { part }: OfFleet<'freeze'>,
): Promise<FleetEffect | null> {
  const worker = machine.worker();
  if (worker === null) return null;
  const endAbsence = beginAbsence(scene, machine);
  const stopped = new Set<number>();
  const stop = (): void => {
    const pids = part === 'worker' ? [worker] : machine.processes().map(({ pid }) => pid);
    for (const pid of pids) if (signal(pid, 'SIGSTOP')) stopped.add(pid);
  };
  // Twice: a process may have been started between the look and the signal.
  stop();
  stop();
  const wake = (): void => {
    machine.wake(stopped);
    endAbsence();
  };
  const healed = pause(2 * LEASE_MS).then(wake);
  return { machine: machine.name, detail: `${part} of ${machine.name}`, healed };
}

async function cutOff(
  scene: FleetScene,
  machine: Machine,
  { links, way, awayMs }: OfFleet<'cut'>,
): Promise<FleetEffect> {
  const endAbsence = links.includes('database') ? beginAbsence(scene, machine) : () => {};
  for (const link of links) machine.links[link].cut(way);
  const heal = (): void => {
    for (const link of links) machine.links[link].heal();
    endAbsence();
  };
  const detail = `${way} ${links.join(' and ')} of ${machine.name}`;
  return { machine: machine.name, detail, healed: pause(awayMs).then(heal) };
}

/** Answers with what ends it. */
function beginAbsence({ absences }: FleetScene, { name }: Machine): () => void {
  const absence: Absence = { host: name, from: Date.now(), to: null };
  absences.push(absence);
  return () => {
    absence.to = Date.now();
  };
}

/** Git on the server ends when it notices that its client is gone, and leaves its locks. */
async function unlock({ remote }: FleetScene): Promise<void> {
  await pause(1_000);
  remote.removeLocks();
}

/** False if the round ended first: what it did not meet must not disturb the checks. */
async function either(happened: Promise<void>, watch: Watch, disarm: () => void): Promise<boolean> {
  let hasHappened = false;
  void happened.then(() => {
    hasHappened = true;
  });
  while (!hasHappened && !watch.isOver()) await pause(LOOK_EVERY_MS);
  if (!hasHappened) disarm();
  return hasHappened;
}
