// Which task comes next, and what the run does where there is none.
import { Refusal } from '../domain/refusal.ts';
import { headCommit } from '../host/git/git.ts';
import { type Claim, claim } from '../queue/tasks/claim.ts';
import { findNeeds } from '../queue/tasks/needs.ts';
import { status } from '../queue/tasks/status.ts';
import { waitUntil } from './pauses.ts';
import type { Run } from './run.ts';
import type { RunTotals } from './run-totals.ts';
import { nothingReady, type Stop, stagnated } from './stop.ts';

/** Null where no task is ready. */
export async function claimNext({
  id,
  input,
  place,
  writes,
  stagnation,
  baseline,
}: Run): Promise<Claim | null> {
  // The journal is what is left of the last session where the next one removes the queue.
  const [base_commit] = await Promise.all([headCommit(place), syncOrTell(input), writes.written()]);
  return claim(input.queue, {
    run_id: id,
    session_id: crypto.randomUUID(),
    base_commit,
    root: place.root,
    except: stagnation.passedOver(),
    task_id: baseline.first(),
  });
}

/** A definition file that is wrong for a while must not end a run: what it said before stays. */
async function syncOrTell({ sync, tell }: Run['input']): Promise<void> {
  try {
    await sync();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    tell({ kind: 'refused', reason: error.message });
  }
}

/** More tasks than this are not named in one sentence. */
const MAX_NAMED = 10;

export async function nothingToClaim({ input, place, stagnation, baseline }: Run): Promise<Stop> {
  const now = await status(input.queue);
  const tried = stagnation.passedOver();
  return now.ready > 0 && tried.length > 0
    ? stagnated(tried, baseline.first())
    : nothingReady(now, await findNeeds(input.queue, MAX_NAMED), place.root);
}

/** True when what the stop is about has passed, and the loop may go on. */
export async function waitFor(
  { id, input }: Run,
  { pause }: RunTotals,
  { resume_at, isOutage }: Stop,
): Promise<boolean> {
  if (resume_at === null || input.stop.after.aborted) return false;
  if (!input.wait.is && isOutage !== true) return false;
  await waitUntil(input, id, { until: resume_at, fault: pause?.fault ?? null });
  return true;
}
