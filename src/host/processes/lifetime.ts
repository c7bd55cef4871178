import type { Readable, Writable } from 'node:stream';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGABRT'] as const;
/** Often enough to be gone within a tenth of a second of a parent that left its end of the pipe to others. */
const PARENT_EVERY_MS = 40;

/** Fulfilled, with the reason, when there is nobody left to serve. */
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

/** For a server that outlives whoever started it. */
export function firstSignal(): Promise<string> {
  return new Promise((over) => {
    for (const signal of SIGNALS) process.once(signal, () => over(signal));
  });
}
