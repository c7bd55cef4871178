// Chooses the next task, and decides what the run does when no task is ready.
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../domain/refusal.ts';
import type { Task } from '../domain/tasks/task.ts';
import { allEnded } from '../host/processes/all-ended.ts';
import { liveness } from '../host/processes/process-identity.ts';
import { findBacklogs } from '../project/init/find-backlogs.ts';
import { nextTakeOver } from '../queue/sessions/take-over.ts';
import { tasksOfAgents } from '../queue/sessions/task-agent.ts';
import { type Claim, claim } from '../queue/tasks/claim.ts';
import { findNeeds } from '../queue/tasks/needs.ts';
import { lackingLabels, peek, status } from '../queue/tasks/status.ts';
import { type Pause, waitUntil } from './pauses.ts';
import type { Run } from './run.ts';
import { nothingReady, notReady, type Stop, stagnated } from './stop.ts';

/** Null if no task is ready. */
export async function claimNext(
  { id, input, place, stagnation, baseline, ground, passedOver }: Run,
  /** Tasks that are being worked on: the next one should not change the same files. */
  beside: readonly number[],
  /** Agents that may start nothing now. */
  parked: readonly string[],
): Promise<Claim | null> {
  const [base_commit] = await allEnded([findBase(input, ground), syncOrTell(input)]);
  if (base_commit === null && input.config.land.remote !== null) return null;
  const claimed = await claim(input.queue, {
    run_id: id,
    session_id: crypto.randomUUID(),
    base_commit,
    root: place.root,
    except: [...stagnation.passedOver(), ...(await parkedTasks(input, parked))],
    task_id: baseline.repairTask(),
    beside,
    labels: input.config.labels,
    passedOver,
  });
  for (const task of claimed?.passed_over ?? []) passedOver.set(task, (passedOver.get(task) ?? 0) + 1);
  if (claimed !== null) passedOver.delete(claimed.task.id);
  return claimed;
}

/** The ready tasks whose agent may not start now, as far as the claim may look. */
export async function parkedTasks(
  { queue, config, limits }: Run['input'],
  parked: readonly string[],
): Promise<number[]> {
  if (parked.length === 0) return [];
  return tasksOfAgents(queue, parked, config, limits);
}

/** A task that could start although these agents may not. */
const peekUnparked = async ({ input, stagnation }: Run, parked: readonly string[]): Promise<Task | null> =>
  peek(input.queue, input.config.labels, [...stagnation.passedOver(), ...(await parkedTasks(input, parked))]);

const LOOK_EVERY_MS = 2_000;
const LOOKS = 30;
const WAITS = 'This worker waits for tasks.';

/**
 * Until a task is ready, a run of another machine falls silent, or for a minute: then the run looks at everything again, also at what
 * a person may have mended.
 */
async function waitForWork({ id, input, tellOnce }: Run, stop: Stop, sentenceAfter: string): Promise<true> {
  const { reason, sentence, resume_at } = stop;
  const isIdle = reason === 'finished' || reason === 'waiting' || resume_at !== null;
  tellOnce({
    kind: 'refused',
    reason: reason === 'finished' ? sentenceAfter : `${sentence} ${sentenceAfter}`,
  });
  for (let looks = 0; looks < LOOKS && !input.stop.after.aborted; looks++) {
    await sleep(LOOK_EVERY_MS, undefined, { signal: input.stop.after }).catch(() => {});
    if (isIdle && (await peek(input.queue, input.config.labels)) !== null) break;
    if ((await nextTakeOver(input.queue, id, liveness)) !== null) break;
  }
  return true;
}

const waitsForMerges = async ({ pulls, input }: Run): Promise<boolean> =>
  pulls !== null && (await status(input.queue)).pull_requests.length > 0;

/** Null if there is none, or if no session would start from it: a remote is not asked every other second. */
async function findBase({ queue, config }: Run['input'], ground: Run['ground']): Promise<string | null> {
  const isRecent = queue.now() - (lastLooks.get(ground) ?? 0) < IDLE_LOOK_MS;
  if (config.land.remote !== null && isRecent && (await peek(queue, config.labels)) === null) return null;
  lastLooks.set(ground, queue.now());
  return ground.tip();
}

/** While nothing is ready, a person may push new definitions. */
const IDLE_LOOK_MS = 60_000;
const lastLooks = new WeakMap<Run['ground'], number>();

/** Looks only if a task is ready to begin: otherwise the person need not do anything. */
export async function stopUnready(
  { input, ground }: Run,
  { hasRoom }: { hasRoom(): boolean },
): Promise<Stop | null> {
  if (!hasRoom() || (await peek(input.queue, input.config.labels)) === null) return null;
  const sentence = await ground.whyNotReady();
  return sentence === null ? null : notReady(sentence);
}

/** A definition file that is invalid for a while must not end a run: its last valid content stays. */
async function syncOrTell({ sync, tell }: Run['input']): Promise<void> {
  try {
    await sync();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    tell({ kind: 'refused', reason: `${error.message} Until you mend it, what it said before counts.` });
  }
}

const lackingText = ({ id, lacks }: { id: number; lacks: readonly string[] }): string =>
  `Task ${id} needs a run with the label ${lacks.join(', ')}; start one where that is true: ralph run --labels ${lacks.join(',')}.`;

/** How many tasks one sentence names at most. */
const MAX_NAMED = 10;

export async function nothingToClaim({ input, place, stagnation, baseline }: Run): Promise<Stop> {
  const now = await status(input.queue);
  const isEmpty = Object.values(now.counts).every((count) => count === 0);
  const backlogs = isEmpty ? await findBacklogs(place.root) : [];
  const tried = stagnation.passedOver();
  const [lacking] = await lackingLabels(input.queue, input.config.labels);
  if (lacking !== undefined && now.ready > 0 && tried.length === 0) return notReady(lackingText(lacking));
  return now.ready > 0 && tried.length > 0
    ? stagnated(tried, baseline.repairTask())
    : nothingReady(now, await findNeeds(input.queue, MAX_NAMED), place.root, backlogs);
}

/** True if the cause of the stop has passed and the loop may go on. `parked`: agents that may start nothing now. */
export async function waitFor(
  run: Run,
  stop: Stop & { pause?: Pause },
  parked: readonly string[],
): Promise<boolean> {
  const { id, input } = run;
  const { resume_at, pause = null } = stop;
  if (input.stop.after.aborted || stop.reason === 'stopped') return false;
  if (input.wait.isEndless === true && pause === null) return waitForWork(run, stop, WAITS);
  if (input.wait.enabled && stop.reason === 'waiting' && (await waitsForMerges(run)))
    return waitForWork(run, stop, 'Ralph looks at the pull requests from time to time.');
  if (resume_at === null) return false;
  // Without a pause, the tasks themselves may not start earlier: a limit of an earlier run may hold for some seconds more.
  const isSoon = resume_at - input.queue.now() <= input.config.limits.brief_minutes * 60_000;
  if (!input.wait.enabled && !(pause?.isAwaited ?? isSoon)) return false;
  const before = await peekUnparked(run, parked);
  await waitUntil(input, id, {
    until: resume_at,
    fault: pause?.fault ?? null,
    agent: pause?.agent ?? null,
    // A person may add a task for another agent, or choose another for a task; and another run may fall silent.
    isOver: async () => {
      const task = await peekUnparked(run, parked);
      const isNew = task !== null && task.id !== before?.id;
      return isNew || (await nextTakeOver(input.queue, id, liveness)) !== null;
    },
  });
  return true;
}
