import type { Readable, Writable } from 'node:stream';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGABRT'] as const;
/** Often enough to end within a tenth of a second after a parent whose end of the pipe another process still holds. */
const PARENT_EVERY_MS = 40;

/** Resolves with the reason when the client is gone. */
export function endOfService(stdin: Readable, stdout: Writable): Promise<string> {
  return new Promise((over) => {
    for (const event of ['end', 'close', 'error']) stdin.once(event, () => over('standard input ended'));
    for (const event of ['close', 'error']) stdout.once(event, () => over('standard output is closed'));
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) over('the parent process is gone');
    }, PARENT_EVERY_MS).unref();
    firstSignal().then(over);
  });
}

/** For a server that outlives the process that started it. */
export function firstSignal(): Promise<string> {
  return new Promise((over) => {
    for (const signal of SIGNALS) process.once(signal, () => over(signal));
  });
}
