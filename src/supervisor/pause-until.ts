import { setTimeout as pause } from 'node:timers/promises';

/** How long to wait for a limit where no reset time is known. */
export const PAUSE_SECONDS = 300;

/** Looked at now and then: a machine that slept wakes up late, and a person may want to stop. */
const LOOK_EVERY_MS = 1_000;

export async function pauseUntil(time: number, now: () => number, stop: AbortSignal): Promise<void> {
  while (now() < time && !stop.aborted) await pause(Math.min(LOOK_EVERY_MS, time - now()));
}
