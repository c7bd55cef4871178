// Lets a small process start others for a large one. To start a process, the system copies the page tables of the process that
// asks: a run with its heap waits three times as long for that as a process that holds nothing.
import { awaitCarriers, type Marker } from './reap.ts';
import { type FinishedProcess, type RunOptions, runToEnd, startStarter } from './spawn.ts';

export type StarterRequest = { id: number; command: string; args: readonly string[]; options: RunOptions };

/** The first one, without an id, says that the starter is ready. */
export type StarterAnswer = { id: number; ended: FinishedProcess } | { id: null; ended: null };

export type Starter = {
  run: typeof runToEnd;
  close(): Promise<void>;
};

/** What is known of a process whose end was not seen. */
const UNKNOWN_END: FinishedProcess = { code: null, signal: 'SIGKILL', stdout: '', stderr: '' };

/** How long an answer may take beyond the time limit of the process itself. */
const ANSWER_MS = 10_000;

/** As long as what a dead starter left may take to end by itself. */
const GRACE_MS = 5_000;

/** `marker`: of the run, so that a later run waits for a starter that outlived its run. */
export function openStarter([command = '', ...args]: readonly string[], marker: Marker): Starter {
  const child = startStarter(command, [...args, 'starter'], variable(marker));
  const ownMarker: Marker = `RALPH_STARTER=${child.pid}`;
  const waiting = new Map<number, (ended: FinishedProcess) => void>();
  let isReady = false;
  let isClosing = false;
  let lastId = 0;
  child.onAnswer(({ id, ended }) => {
    if (id === null) isReady = true;
    else waiting.get(id)?.(ended);
  });
  const ended = child.exited.then(async () => {
    isReady = false;
    if (waiting.size === 0) return;
    // While such a process is still at work, its work must not count as undone.
    await awaitCarriers(ownMarker, GRACE_MS);
    for (const answer of waiting.values()) answer(UNKNOWN_END);
  });
  const closeIfIdle = (): void => {
    if (isClosing && waiting.size === 0) child.close();
  };
  return {
    run: async (file, words, options) => {
      // A signal cannot cross to another process.
      if (!isReady || options.stop !== undefined) return runToEnd(file, words, options);
      const id = ++lastId;
      // If it hangs, or was stopped, its end gives every answer.
      const clock = setTimeout(child.kill, options.timeoutMs + ANSWER_MS);
      try {
        return await new Promise<FinishedProcess>((answer) => {
          waiting.set(id, answer);
          child.send({
            id,
            command: file,
            args: words,
            options: { ...options, env: { ...options.env, ...variable(ownMarker) } },
          });
        });
      } finally {
        clearTimeout(clock);
        waiting.delete(id);
        closeIfIdle();
      }
    },
    close: async () => {
      [isReady, isClosing] = [false, true];
      closeIfIdle();
      await ended;
    },
  };
}

function variable(marker: Marker): Record<string, string> {
  const at = marker.indexOf('=');
  return { [marker.slice(0, at)]: marker.slice(at + 1) };
}
