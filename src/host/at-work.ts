// Everything that Ralph has started and that works: agents, reviews, gates. Whichever way Ralph ends, nothing of it goes on.
import { type Ending, killNow } from './reap.ts';

export type Work = Pick<Ending, 'pid' | 'marker'>;

export type Observer = { began(work: Work): void; over(work: Work): void };

const working = new Set<Work>();
const observers = new Set<Observer>();
let isWaitingForExit = false;

/** Gives back how to say that nothing of it is left. */
export function registerWork(work: Work): () => void {
  // One handler for all: Node warns of a leak where each agent and gate has its own.
  if (!isWaitingForExit) process.once('exit', () => working.forEach(killNow));
  isWaitingForExit = true;
  working.add(work);
  for (const observer of observers) observer.began(work);
  return () => {
    if (working.delete(work)) for (const observer of observers) observer.over(work);
  };
}

/** Gives back how to stop observing. What works already is told at once. */
export function observeWork(observer: Observer): () => void {
  observers.add(observer);
  for (const work of working) observer.began(work);
  return () => void observers.delete(observer);
}
