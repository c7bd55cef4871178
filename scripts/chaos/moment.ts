// Waits for the moment that a plan names.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Moment } from './disturbance.ts';
import { readAcknowledged, readGates } from './ledger.ts';
import type { ChaosProject } from './project.ts';
import type { Running } from './running.ts';

const LOOK_EVERY_MS = 3;

type Place = Pick<ChaosProject, 'root' | 'ledger'>;
type Watched = Pick<Running, 'isOver' | 'settled'>;

/** Resolves also when the run ends before the moment comes. */
export async function awaitMoment(project: Place, running: Watched, moment: Moment): Promise<void> {
  const { after, count, delayMs } = moment;
  // Work that is set aside already is what the disturbance waits for.
  const before = after === 'work set aside' ? 0 : countSteps(project, running, after);
  await until(running, () => countSteps(project, running, after) - before >= count);
  await pause(delayMs);
}

/** False where the run ended first. */
export async function until(running: Pick<Running, 'isOver'>, isTrue: () => boolean): Promise<boolean> {
  while (!running.isOver()) {
    if (isTrue()) return true;
    await pause(LOOK_EVERY_MS);
  }
  return false;
}

function countSteps({ root, ledger }: Place, running: Watched, what: Moment['after']): number {
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
    case 'work set aside':
      return countRefs(root);
  }
}

function countRefs(root: string): number {
  const [loose, packed] = [join(root, '.git/refs/ralph'), join(root, '.git/packed-refs')];
  const names = existsSync(loose) ? readdirSync(loose).filter((name) => name.startsWith('task-')) : [];
  const lines = existsSync(packed) ? readFileSync(packed, 'utf8').match(/ refs\/ralph\/task-\d+$/gm) : null;
  return names.length + (lines?.length ?? 0);
}
