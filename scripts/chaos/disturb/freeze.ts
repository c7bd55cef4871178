// A supervisor that stands still: for one action of a person, or until a second run has given up.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Of } from '../disturbance.ts';
import { awaitMoment } from '../moment.ts';
import { hasOpenRun } from '../open-rows.ts';
import { findGitProcesses, isGroupStopped, isStopped, signal } from '../processes.ts';
import type { ChaosProject } from '../project.ts';
import { type Running, startRun } from '../running.ts';
import { requireRunning, type Scene } from '../scene.ts';

const LOOK_EVERY_MS = 2;

/** A frozen supervisor that works is alive: a second run must be turned away, however long the freeze takes. */
export async function freeze(scene: Scene, { moment, extraMs }: Of<'freeze'>): Promise<string | null> {
  const running = requireRunning(scene);
  await awaitMoment(scene.project, running, moment);
  if (running.isOver() || !signal(running.pid, 'SIGSTOP')) return null;
  try {
    while (!isStopped(running.pid)) await pause(LOOK_EVERY_MS);
    const isWorking = hasOpenRun(scene.project.root, running.pid);
    const second = startRun(scene.project, scene.programs);
    const end = { pid: second.pid, ...(await second.ended), killed: false, mayBeRefused: true };
    const worker = end.code === 1 ? running.pid : null;
    scene.contests.push({ kind: isWorking ? 'beside' : 'together', worker, runs: [end] });
    scene.mayBeRefused ||= !isWorking;
    await pause(extraMs);
  } finally {
    signal(running.pid, 'SIGCONT');
  }
  return '';
}

/**
 * Acts while the supervisor stands still and its git, which has a group of its own, has ended. A command of a person's takes milliseconds, and what lies in the
 * tree in between cannot be told from the session's work; frozen, Ralph sees the state before or after it.
 */
export async function whileFrozen<T>(
  { root, folder }: ChaosProject,
  running: Running | null,
  act: () => T | Promise<T>,
): Promise<T> {
  if (running === null || running.isOver()) return act();
  const group = -running.pid;
  for (;;) {
    signal(group, 'SIGSTOP');
    try {
      while (!isGroupStopped(running.pid)) await pause(LOOK_EVERY_MS);
      // A git that was frozen with a lock would never give it back to the person.
      // One that is at work, in a group of its own, may wait for what the supervisor writes to it.
      if (!isLocked(root) && findGitProcesses(running.pid, folder).length === 0) return await act();
    } finally {
      signal(group, 'SIGCONT');
    }
    await pause(LOOK_EVERY_MS);
  }
}

const isLocked = (root: string): boolean =>
  ['index.lock', 'HEAD.lock', 'packed-refs.lock', 'refs/heads/main.lock'].some((name) =>
    existsSync(join(root, '.git', name)),
  );
