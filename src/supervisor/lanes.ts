// The sessions that are at work at the same time. A lane is one session from its claim to its end.
import { GateStopped } from '../host/gates/gates.ts';
import { LostSession } from '../queue/sessions/live-session.ts';
import type { Claim } from '../queue/tasks/claim.ts';
import type { Run } from './run.ts';
import { afterPause, afterSession, budgetLeft, type RunTotals, withPause } from './run-totals.ts';
import { finishSession } from './sessions/finish.ts';
import { work } from './sessions/work.ts';

export type Lanes = {
  totals(): RunTotals;
  /** Whether another session may begin beside those at work. */
  hasRoom(): boolean;
  /** Whether there is a lane in which no session is at work, even if none may begin there. */
  hasFreeLane(): boolean;
  isBusy(): boolean;
  /** The tasks that are being worked on. */
  tasks(): number[];
  start(claim: Claim): void;
  /** Resolves when a session has ended, or when it is time to look for new tasks. Rejects once no session is left at work. */
  change(): Promise<void>;
  resume(): void;
  /** Resolves when no session is at work any more. Tells how sessions failed, but for the failure that `change` threw. */
  ended(): Promise<void>;
};

/** A person may add or answer something while a lane is free. */
const LOOK_EVERY_MS = 2_000;

/** Less than a cent pays for no answer, and may be only what rounding left of promises that use the budget up. */
const LEAST_USD = 0.01;

export function openLanes(run: Run, first: RunTotals): Lanes {
  const { input, ground, artifacts } = run;
  let totals = first;
  const failures: { claim: Claim; error: unknown }[] = [];
  let isFirstThrown = false;
  const atWork = new Map<string, { claim: Claim; promised_usd: number; ended: Promise<void> }>();
  /** Every session is promised its whole budget before it begins, so that all together cannot exceed the run's. */
  const left = (): number =>
    [...atWork.values()].reduce((sum, one) => sum - one.promised_usd, budgetLeft(input.limits, totals));

  const runSession = async (claim: Claim, promised_usd: number): Promise<void> => {
    const { id } = claim.session;
    let isLost = false;
    artifacts.begin(id);
    try {
      const result = await work(run, { ...totals, left_usd: promised_usd }, claim);
      await artifacts.flush(id);
      // Gates, landing and settle, in the order that survives a crash at any point.
      const finished = await finishSession(
        run,
        claim,
        result,
        (pause) => (totals = withPause(totals, pause)),
      );
      // Read after the wait: other sessions have ended meanwhile.
      totals = afterSession(totals, finished);
    } catch (error) {
      // Another run has the session, and settles it: nothing is lost.
      isLost = error instanceof LostSession;
      if (isLost) input.tell({ kind: 'fleet', text: takenText(claim) });
      else failures.push({ claim, error });
    } finally {
      await ground.close(claim).catch((error: unknown) => {
        failures.push({ claim, error });
      });
      artifacts.end(id, { isLost });
      atWork.delete(id);
    }
  };

  return {
    totals: () => totals,
    hasRoom: () =>
      failures.length === 0 &&
      atWork.size < ground.jobs &&
      (atWork.size === 0 || left() >= LEAST_USD) &&
      totals.sessions + atWork.size < input.limits.sessions,
    hasFreeLane: () => atWork.size < ground.jobs,
    isBusy: () => atWork.size > 0 || failures.length > 0,
    tasks: () => [...atWork.values()].map(({ claim }) => claim.task.id),
    start: (claim) => {
      const left_usd = left();
      const { limits, review } = input.config;
      // A reviewer may spend as much as the session again.
      const most = limits.session_budget_usd * (review.when === 'never' ? 1 : 2);
      const promised_usd = Math.min(most, left_usd);
      const ended = input.patience.whileAtWork(() => runSession(claim, promised_usd));
      atWork.set(claim.session.id, { claim, promised_usd, ended });
    },
    change: async () => {
      const ends = [...atWork.values()].map(({ ended }) => ended);
      const [first] = failures;
      if (ends.length === 0 && first !== undefined) {
        isFirstThrown = true;
        throw first.error;
      }
      const isFull = first !== undefined || atWork.size >= ground.jobs;
      await Promise.race(isFull ? ends : [...ends, lookAgain()]);
    },
    resume: () => {
      totals = afterPause(totals, input.queue.now());
    },
    ended: async () => {
      await Promise.all([...atWork.values()].map(({ ended }) => ended));
      // The run ends with one error, so the others would be lost.
      for (const { claim, error } of failures.slice(isFirstThrown ? 1 : 0))
        if (!(error instanceof GateStopped))
          run.tellOnce({ kind: 'refused', reason: input.queue.mask(failedText(claim, error)) });
    },
  };
}

const takenText = ({ task }: Claim): string =>
  `another run has taken over the session of #${task.id}; nothing of it was recorded here`;

const failedText = ({ task }: Claim, error: unknown): string =>
  `the session of #${task.id} failed, too: ${error instanceof Error ? error.message : String(error)}`;

const lookAgain = (): Promise<void> => new Promise((over) => setTimeout(over, LOOK_EVERY_MS).unref());
