// Registers the processes that Ralph has at work: agents, reviews, gates. However Ralph ends, they end with it.
import { type Ending, killNow, type Marker } from './reap.ts';

export type Work = Pick<Ending, 'pid' | 'marker'>;

/** `began` is called twice for one work: before it starts, and again with its process id. */
type Observer = { began(work: Work): void; over(work: Work): void };

type Registration = { startedAs(pid: number | null): void; over(): void };

const working = new Map<Marker, Work>();
const observers = new Set<Observer>();
let isWaitingForExit = false;

/** Call it before the process starts: if Ralph is killed in between, the watcher must know of the process. */
export function registerWork(marker: Marker): Registration {
  // One handler for all: Node warns of a leak if each agent and gate adds its own.
  if (!isWaitingForExit) process.once('exit', () => working.forEach(killNow));
  isWaitingForExit = true;
  const begin = (pid: number | null): void => {
    const work = { pid, marker };
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

/** Returns a function that stops observing. Reports running work at once. */
export function observeWork(observer: Observer): () => void {
  observers.add(observer);
  for (const work of working.values()) observer.began(work);
  return () => void observers.delete(observer);
}
