// Everything that Ralph has started and that works: agents, reviews, gates. Whichever way Ralph ends, nothing of it goes on.

import type { Working } from '../work/session-base.ts';
import { type Ending, killNow, type Marker } from './reap.ts';

export type Work = Pick<Ending, 'pid' | 'marker'> & {
  /** Where it is an agent that changes files for a task. */
  session?: Working | undefined;
};

/** `began` is told twice of one work: before it is started, and again with its process id. */
export type Observer = { began(work: Work): void; over(work: Work): void };

export type Registration = { startedAs(pid: number | null): void; over(): void };

const working = new Map<Marker, Work>();
const observers = new Set<Observer>();
let isWaitingForExit = false;

/** Before it is started: a Ralph that is killed in the next moment would otherwise leave what nobody has heard of. */
export function registerWork(marker: Marker, session?: Working): Registration {
  // One handler for all: Node warns of a leak where each agent and gate has its own.
  if (!isWaitingForExit) process.once('exit', () => working.forEach(killNow));
  isWaitingForExit = true;
  const begin = (pid: number | null): void => {
    const work = { pid, marker, session };
    working.set(marker, work);
    for (const observer of observers) observer.began(work);
  };
  begin(null);
  return {
    startedAs: begin,
    over: () => {
      const work = working.get(marker);
      if (work !== undefined && working.delete(marker)) for (const observer of observers) observer.over(work);
    },
  };
}

/** Gives back how to stop observing. What works already is told at once. */
export function observeWork(observer: Observer): () => void {
  observers.add(observer);
  for (const work of working.values()) observer.began(work);
  return () => void observers.delete(observer);
}
