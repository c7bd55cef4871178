// Waits for the moment, and kills who is due.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { readAcknowledged, readGates } from './ledger.ts';
import type { Kill, Moment, Victim } from './plan.ts';
import { processesOf } from './processes.ts';
import type { ChaosProject } from './project.ts';
import type { Running } from './running.ts';

const LOOK_EVERY_MS = 3;

/** Who was killed; null where the run ended before. */
export async function killAt(project: ChaosProject, running: Running, kill: Kill): Promise<Victim | null> {
  await seen(project, running, kill.moment);
  await pause(kill.moment.delayMs);
  while (!running.isOver()) {
    const pid = victimOf(project, running, kill.victim);
    if (pid !== null && send(pid)) return kill.victim;
    await pause(LOOK_EVERY_MS);
  }
  return null;
}

/** As git leaves it that was killed in the middle of writing the index: only a run that had begun has started one. */
export function plantLock({ root }: ChaosProject): void {
  const lock = join(root, '.git/index.lock');
  if (!existsSync(lock) && hasOpenRun(root)) writeFileSync(lock, 'a part of an index');
}

function hasOpenRun(root: string): boolean {
  const db = new Database(join(root, '.git/ralph/ralph.db'), { readonly: true });
  try {
    return db.prepare('select 1 from runs where ended is null').get() !== undefined;
  } finally {
    db.close();
  }
}

async function seen(project: ChaosProject, running: Running, { after, count }: Moment): Promise<void> {
  const before = countOf(project, running, after);
  while (!running.isOver() && countOf(project, running, after) - before < count) await pause(LOOK_EVERY_MS);
}

function countOf({ ledger }: ChaosProject, running: Running, what: Moment['after']): number {
  switch (what) {
    case 'start':
      return 0;
    case 'acknowledged':
      return readAcknowledged(ledger).length;
    case 'gate begun':
      return readGates(ledger).filter(({ event }) => event === 'begun').length;
    case 'gate ended':
      return readGates(ledger).filter(({ event }) => event !== 'begun').length;
    case 'session settled':
      return running.settled();
  }
}

/** Negative for a group. Null where there is no such process at the moment. */
function victimOf({ folder }: ChaosProject, { pid }: Running, victim: Victim): number | null {
  if (victim === 'supervisor') return pid;
  if (victim === 'group') return -pid;
  const all = processesOf(folder, []);
  const agent = all.find(({ parent, command }) => parent === pid && /agent\.js|claude/.test(command));
  if (victim === 'agent') return agent?.pid ?? null;
  return all.find(({ parent, command }) => parent === agent?.pid && / serve$/.test(command))?.pid ?? null;
}

function send(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}
