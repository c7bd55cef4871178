// Chooses the next task, and decides what the run does when no task is ready.
import { Refusal } from '../domain/refusal.ts';
import { findBacklogs } from '../project/init/find-backlogs.ts';
import { type Claim, claim } from '../queue/tasks/claim.ts';
import { findNeeds } from '../queue/tasks/needs.ts';
import { peek, status } from '../queue/tasks/status.ts';
import { waitUntil } from './pauses.ts';
import type { Run } from './run.ts';
import type { RunTotals } from './run-totals.ts';
import { nothingReady, notReady, type Stop, stagnated } from './stop.ts';

/** Null if no task is ready. */
export async function claimNext(
  { id, input, place, writes, stagnation, baseline, ground, passedOver }: Run,
  /** Tasks that are being worked on: the next one should not change the same files. */
  beside: readonly number[],
): Promise<Claim | null> {
  // The next session may remove the queue. The journal is then all that is left of the last one.
  const [base_commit] = await Promise.all([
    findBase(input, ground),
    syncOrTell(input),
    writes.journalWritten(),
  ]);
  const claimed = await claim(input.queue, {
    run_id: id,
    session_id: crypto.randomUUID(),
    base_commit,
    root: place.root,
    except: stagnation.passedOver(),
    task_id: baseline.repairTask(),
    beside,
    passedOver,
  });
  for (const task of claimed?.passed_over ?? []) passedOver.set(task, (passedOver.get(task) ?? 0) + 1);
  if (claimed !== null) passedOver.delete(claimed.task.id);
  return claimed;
}

/** Null if there is none, or if no session would start from it: a remote is not asked every other second. */
const findBase = async ({ queue, config }: Run['input'], ground: Run['ground']): Promise<string | null> =>
  config.land.remote !== null && (await peek(queue)) === null ? null : ground.tip();

/** Looks only if a task is ready to begin: otherwise the person need not do anything. */
export async function stopUnready(
  { input, ground }: Run,
  { hasRoom }: { hasRoom(): boolean },
): Promise<Stop | null> {
  if (!hasRoom() || (await peek(input.queue)) === null) return null;
  const sentence = await ground.whyNotReady();
  return sentence === null ? null : notReady(sentence);
}

/** A definition file that is invalid for a while must not end a run: its last valid content stays. */
async function syncOrTell({ sync, tell }: Run['input']): Promise<void> {
  try {
    await sync();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    tell({ kind: 'refused', reason: error.message });
  }
}

/** How many tasks one sentence names at most. */
const MAX_NAMED = 10;

export async function nothingToClaim({ input, place, stagnation, baseline }: Run): Promise<Stop> {
  const now = await status(input.queue);
  const isEmpty = Object.values(now.counts).every((count) => count === 0);
  const backlogs = isEmpty ? await findBacklogs(place.root) : [];
  const tried = stagnation.passedOver();
  return now.ready > 0 && tried.length > 0
    ? stagnated(tried, baseline.repairTask())
    : nothingReady(now, await findNeeds(input.queue, MAX_NAMED), place.root, backlogs);
}

/** True if the cause of the stop has passed and the loop may go on. */
export async function waitFor(
  { id, input }: Run,
  { pause }: RunTotals,
  { resume_at }: Stop,
): Promise<boolean> {
  if (resume_at === null || input.stop.after.aborted) return false;
  // Without a pause, the tasks themselves may not start earlier: a limit of an earlier run may hold for some seconds more.
  const isSoon = resume_at - input.queue.now() <= input.config.limits.brief_minutes * 60_000;
  if (!input.wait.enabled && !(pause?.isAwaited ?? isSoon)) return false;
  await waitUntil(input, id, { until: resume_at, fault: pause?.fault ?? null });
  return true;
}
