// What is still alive when its supervisor is not.
import { rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { holdFile } from '../ledger.ts';
import { findProcesses } from '../processes.ts';
import type { ChaosProject } from '../project.ts';
import type { Scene, Survivor } from '../scene.ts';

/** More than the five seconds that Ralph itself gives a process to end, and than a busy machine takes to start a watcher. */
const GRACE_MS = 60_000;
const LOOK_EVERY_MS = 50;

/** Ends the supervisor by `end`, and records what outlives it. The agents are held: none ends because its work is done. */
export async function recordSurvivors(scene: Scene, end: () => Promise<boolean>): Promise<boolean> {
  const hold = holdFile(scene.project.ledger);
  writeFileSync(hold, '');
  try {
    if (!(await end())) return false;
    scene.survivors.push(...(await findSurvivors(scene.project)));
    return true;
  } finally {
    rmSync(hold);
  }
}

async function findSurvivors({ folder }: ChaosProject): Promise<Survivor[]> {
  const deadline = performance.now() + GRACE_MS;
  for (;;) {
    const found = findProcesses(folder, []).flatMap((process): Survivor[] => {
      const has = (name: string): boolean => process.marks.some((mark) => mark.startsWith(`${name}=`));
      if (has('RALPH_GATE_OF')) return [{ ...process, part: 'gate' }];
      return has('RALPH_SESSION_ID') ? [{ ...process, part: 'session' }] : [];
    });
    if (found.length === 0 || performance.now() > deadline) return found;
    await pause(LOOK_EVERY_MS);
  }
}
