// Finishes a session that has ended: verifies it, settles its task, and tells the run's observers.
import { findFailure } from '../../domain/sessions/agent-failure.ts';
import { needsMending } from '../../domain/sessions/parked-agents.ts';
import { addUsage, NO_USAGE } from '../../domain/sessions/session.ts';
import type { Decision } from '../../domain/sessions/settle.ts';
import { catchHindrance, finish } from '../../queue/sessions/finish.ts';
import { savePark } from '../../queue/sessions/runs.ts';
import { showSession } from '../../queue/sessions/sessions.ts';
import { evidence } from '../../queue/sessions/verify-evidence.ts';
import type { Claim } from '../../queue/tasks/claim.ts';
import { judgeFailure, toSessionEnd } from '../agents/session-end.ts';
import { commitFinishedFeatures } from '../finished-features.ts';
import type { Pause } from '../pauses.ts';
import type { Run } from '../run.ts';
import type { SessionResult } from '../run-totals.ts';
import { isProgress } from '../stagnation.ts';
import { restoreOwnFiles } from './tampering.ts';
import type { WorkResult } from './work.ts';

export async function finishSession(
  run: Run,
  claimed: Claim,
  workResult: WorkResult,
  /** Holds the agent back. */
  park: (pause: Pause) => void,
): Promise<SessionResult> {
  const { id: run_id, input, limits, pauses, writes, stagnation, baseline, ground } = run;
  const { queue, tell } = input;
  const { effects, findings } = workResult.effects;
  tell({ kind: 'checking', claim: claimed });
  const { end, changed_files, hindrance } = await judgeEnd(run, claimed, workResult);
  if (workResult.files !== null) await restoreOwnFiles(input, claimed, workResult.files);
  // Before the task is free again: the lane beside would give it to the same agent.
  const met = end.fault === null ? null : pauses.after(end);
  if (met !== null) park(met);
  const decision = await finish(queue, {
    session_id: claimed.session.id,
    run_id,
    phase: ground.kind === 'slots' ? 'proving' : null,
    end: toSessionEnd(end, {
      changed_files,
      isStopped: input.stop.now.aborted,
      mayClimb: input.config.when_limited === 'climb',
    }),
    usage: end.usage,
    next_model: end.next_model,
    last_words: end.last_said ?? end.last_words,
    hindrance: end.hindrance ?? hindrance,
    effects,
    limits,
  });
  const proof = await evidence(queue, claimed.session);
  const { reviewEnd } = findings();
  // A fault during the review counts like a fault during the work.
  const last = end.fault === null && reviewEnd !== null ? reviewEnd : end;
  const isReview = last !== end;
  // A reviewer that a person has to mend stops the run.
  const isStopping = isReview && findFailure(last.fault)?.policy === 'stop';
  const pause = met ?? (isStopping ? null : pauses.after(last));
  if (pause !== null && isWorthTelling(pause, queue.now()))
    await savePark(queue, run_id, { ...pause, agent: pause.agent ?? null });
  writes.writeJournal();
  if (decision.status === 'done' && claimed.task.feature !== null)
    await commitFinishedFeatures(run, workResult.effects.effects);
  const hasChanged = () => run.ground.hasChanged(claimed, workResult.tree);
  const progress = await isProgress(decision, { queue, session_id: claimed.session.id, hasChanged });
  stagnation.sessionEnded(claimed.task.id, progress);
  if (decision.status === 'failed') stagnation.forget(claimed.task.id);
  baseline.settled(claimed.task.id, decision.status);
  const paid = { ...end, usage: addUsage(end.usage, reviewEnd?.usage ?? NO_USAGE) };
  const duration_ms = performance.now() - workResult.began;
  await input.settled();
  tell({ kind: 'finished', claim: claimed, decision, end: paid, duration_ms, ...proof });
  return {
    task_id: claimed.task.id,
    end: last,
    isReview,
    cost_usd: paid.usage.cost_usd,
    failure: failureIn(decision),
    pause,
  };
}

/** Any other fault is over when the next try succeeds, so it is not recorded. */
const isWorthTelling = (pause: Pause, now: number): boolean =>
  pause.fault === 'usage_limit'
    ? pause.until !== null
    : needsMending(pause) && (pause.until === null || pause.until > now);

type JudgedEnd = Pick<WorkResult, 'end'> & {
  changed_files: boolean;
  hindrance: Awaited<ReturnType<typeof catchHindrance>>;
};

/** Undoes what the agent did to git first, so that its end is judged by the tree that the gates will see. */
async function judgeEnd(run: Run, claimed: Claim, workResult: WorkResult): Promise<JudgedEnd> {
  const { input, ground } = run;
  let { end } = workResult;
  let changed_files = false;
  const hasChangedNow = (): Promise<boolean> => ground.hasChanged(claimed, workResult.tree);
  const hindrance = await catchHindrance(async () => {
    await ground.afterAgent(claimed);
    // Take the tree only if the answer counts: it costs time in every session.
    if (end.limit !== null) changed_files = await hasChangedNow();
    // An agent that a person stopped has not failed.
    if (input.stop.now.aborted) return;
    end = await judgeFailure(end, async () => {
      const { signals } = await showSession(input.queue, claimed.session.id);
      return signals.length > 0 || (workResult.tree !== null && (await hasChangedNow()));
    });
  });
  return { end, changed_files, hindrance };
}

const failureIn = ({ hindrance }: Decision): string | null =>
  hindrance?.kind === 'machine_failed' ? hindrance.reason : null;
