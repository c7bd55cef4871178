// Two or eight runs: at the same moment where none works, otherwise beside the run that works.
import { setTimeout as pause } from 'node:timers/promises';
import type { Of } from '../disturbance.ts';
import { awaitMoment } from '../moment.ts';
import { hasOpenRun } from '../open-rows.ts';
import { type Running, startRun } from '../running.ts';
import type { RunEnd, Scene } from '../scene.ts';

const LOOK_EVERY_MS = 5;

export async function startRivals(
  scene: Scene,
  { moment, runs: count }: Of<'rivals'>,
): Promise<string | null> {
  const { running, project, programs } = scene;
  if (running !== null) await awaitMoment(project, running, moment);
  const started = Array.from({ length: count }, () => startRun(project, programs));
  const kind = running === null || running.isOver() ? 'together' : 'beside';
  // The last run that is left works; all of them end if the first has finished the queue.
  const isDecided = (): boolean =>
    started.filter((run) => !run.isOver()).length <= (kind === 'together' ? 1 : 0);
  while (!isDecided()) await pause(LOOK_EVERY_MS);
  const worker = started.find((run) => !run.isOver()) ?? null;
  const ended = await Promise.all(started.filter((run) => run !== worker).map(awaitEnd));
  // Beside a run that ended meanwhile any of them may have worked.
  const isBeside = running !== null && kind === 'beside' && hasOpenRun(project.root, running.pid);
  const winner = worker ?? (isBeside || kind === 'together' ? null : running);
  scene.contests.push({ kind: isBeside ? 'beside' : 'together', worker: winner?.pid ?? null, runs: ended });
  if (worker !== null) scene.running = worker;
  return `${count} ${kind}`;
}

async function awaitEnd(run: Running): Promise<RunEnd> {
  return { pid: run.pid, ...(await run.ended), killed: false, mayBeRefused: true };
}
