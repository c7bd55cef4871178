// `ralph worker`: a run on an unattended machine. It waits for work, for limits, for the remote and for the database.
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { CommandContext, Output } from '../../app/world.ts';
import { MachineFailed, type Refusal, Unusable } from '../../domain/refusal.ts';
import { visible } from '../../domain/text/text.ts';
import { cloneInto } from '../../host/remote/remote.ts';
import { Undecided } from '../../host/remote/remote-failure.ts';
import type { StopSignals } from '../../supervisor/input.ts';
import { STOPPED } from '../../supervisor/stop.ts';
import { Misuse } from '../command.ts';
import { type RunOptions, runQueue, stopOutput } from './run-queue.ts';

export type WorkerOptions = Pick<RunOptions, 'jobs' | 'labels' | 'budget' | 'agent' | 'model'> & {
  clone?: string[];
};

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const LOOK_EVERY_MS = 200;

export async function runWorker(
  callerContext: CommandContext,
  { clone, ...options }: WorkerOptions,
): Promise<Output> {
  const stop = callerContext.pipes.interrupts();
  const tell = (sentence: string): void => callerContext.pipes.log(`ralph: ${visible(sentence)}\n`);
  const [url, folder] = requireClone(clone);
  const project = folder === undefined ? callerContext.project : resolve(callerContext.cwd, folder);
  // All runs of a worker share its signals.
  const context = { ...callerContext, project, pipes: { ...callerContext.pipes, interrupts: () => stop } };
  return untilStopped(stop, tell, async () => {
    if (url !== undefined && (await cloneInto(project, url, callerContext.env)))
      tell(`Cloned the repository into ${project}.`);
    return runQueue(context, { ...options, wait: true, isEndless: true });
  });
}

/** What a person has to mend ends the worker, with the sentence that says so. What passes by itself does not. */
async function untilStopped(
  stop: StopSignals,
  tell: (sentence: string) => void,
  work: () => Promise<Output>,
): Promise<Output> {
  for (let failures = 0; !stop.after.aborted; failures++) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (stop.after.aborted) tell(error.message);
      else tell(`${error.message} This worker tries again.`);
      await sleep(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures), stop);
    }
  }
  return stopOutput(STOPPED, STOPPED.sentence);
}

const isPassing = (error: unknown): error is Refusal =>
  error instanceof Unusable || error instanceof MachineFailed || error instanceof Undecided;

async function sleep(ms: number, { after }: StopSignals): Promise<void> {
  for (let left = ms; left > 0 && !after.aborted; left -= LOOK_EVERY_MS) await pause(LOOK_EVERY_MS);
}

function requireClone(clone: readonly string[] | undefined): readonly [string?, string?] {
  if (clone === undefined) return [];
  const [url, folder, more] = clone;
  if (url === undefined || folder === undefined || more !== undefined)
    throw new Misuse('Give --clone an address and a folder: ralph worker --clone URL DIR.');
  return [url, folder];
}
