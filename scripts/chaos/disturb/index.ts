import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Disturbance, Of } from '../disturbance.ts';
import { awaitMoment } from '../moment.ts';
import { requireRunning, type Scene } from '../scene.ts';
import { freeze } from './freeze.ts';
import { killGitCall } from './git-call.ts';
import { hangUp, killPart, killSupervisor, loseSlots } from './kill.ts';
import { actAsPerson } from './person.ts';
import { startRivals } from './rivals.ts';
import { tryFromSecondTree } from './second-tree.ts';

/** Answers with a detail of what was done; null where the moment did not come. */
export function disturb(scene: Scene, disturbance: Disturbance): Promise<string | null> {
  switch (disturbance.victim) {
    case 'supervisor':
    case 'group':
      return killSupervisor(scene, disturbance);
    case 'server':
    case 'agent':
    case 'gate':
      return killPart(scene, disturbance);
    case 'slots':
      return loseSlots(scene, disturbance);
    case 'git':
      return killGitCall(scene, disturbance);
    case 'gc':
      return tidyRepository(scene, disturbance);
    case 'rivals':
      return startRivals(scene, disturbance);
    case 'freeze':
      return freeze(scene, disturbance);
    case 'hangup':
      return hangUp(scene, disturbance);
    case 'person':
      return actAsPerson(scene, disturbance);
    case 'worktree':
      return tryFromSecondTree(scene, disturbance);
  }
}

/** Removes every object that no reference and no index of the person's holds. */
async function tidyRepository(scene: Scene, { moment, command }: Of<'gc'>): Promise<string> {
  const { root, env } = scene.project;
  await awaitMoment(scene.project, requireRunning(scene), moment);
  scene.mayBeRefused = true;
  // Git gives up where a reference is locked; a person tries again another time.
  await promisify(execFile)('git', [...command], { cwd: root, env }).catch(() => {});
  return command.slice(0, 2).join(' ');
}
