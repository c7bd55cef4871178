import { setTimeout as pause } from 'node:timers/promises';

/** Looked at now and then: a machine that slept wakes up late, and a person may want to stop. */
const LOOK_EVERY_MS = 1_000;

export async function pauseUntil(time: number, now: () => number, stop: AbortSignal): Promise<void> {
  while (now() < time && !stop.aborted) await pause(Math.min(LOOK_EVERY_MS, time - now()));
}
