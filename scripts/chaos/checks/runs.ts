// How the runs of a round ended, and that only one of them worked at a time.
import type { Evidence } from '../evidence.ts';
import type { RunEnd } from '../scene.ts';

export function lastRunFinished({ runEnds }: Evidence): string[] {
  const last = runEnds.at(-1);
  return last?.code === 0 ? [] : [`the last run ended with ${last?.code}: ${last?.output.slice(-400)}`];
}

/** A run that was not killed must end in its own words, also where it refuses to go on. */
export function noRunBroke({ runEnds, contests }: Evidence): string[] {
  const rivals = contests.flatMap(({ runs }) => runs);
  return [...runEnds, ...rivals]
    .filter((end) => !end.killed && !isOwnEnd(end))
    .map(({ code, output }) => `a run ended with ${code}: ${output.slice(-400)}`);
}

const isOwnEnd = ({ code, output, mayBeRefused }: RunEnd): boolean =>
  code === 0 || code === 10 || (code === 1 && mayBeRefused && !/Unexpected error|^ {4}at /m.test(output));

/** Between the start and the end of a session no other run starts one. An adopted session is its new run's. */
export function atMostOneRunWorksAtATime({ events }: Evidence): string[] {
  const open = new Map<string, number | null>();
  const overlaps: string[] = [];
  for (const { kind, session_id, run_id } of events) {
    if (kind === 'session.ended') open.delete(session_id);
    if (kind === 'session.started')
      for (const [other, run] of open)
        if (run !== run_id)
          overlaps.push(`run ${run_id} started ${session_id} while run ${run} was at work on ${other}`);
    if (kind === 'session.started' || kind === 'session.adopted') open.set(session_id, run_id);
  }
  return overlaps;
}

/** Of runs that start together one works; beside a run that works none does; elsewhere one finds nothing to finish. */
export function everyRivalIsTurnedAway({ contests }: Evidence): string[] {
  return contests.flatMap(({ kind, worker, runs }) => {
    if (kind !== 'together')
      return runs
        .filter(({ code }) => code !== (kind === 'elsewhere' ? 0 : 1))
        .map(({ code, output }) => `a run ${kind} ended with ${code}: ${output.slice(-200)}`);
    const isIdle = worker === null && runs.every(({ code }) => code === 1);
    return isIdle ? [`${runs.length} runs started together, and every one was turned away`] : [];
  });
}

/** Only a run that works writes a row. */
export function rivalsChangeNothing({ contests, runs }: Evidence): string[] {
  const turnedAway = contests.flatMap((contest) => contest.runs).filter(({ code }) => code === 1);
  return turnedAway
    .filter(({ pid }) => runs.some((run) => run.pid === pid))
    .map(({ pid }) => `the run of process ${pid} was turned away and left a row`);
}
