// What the loop of scripts/supervisor.ts is made of. Each step may be interrupted; what it left is recovered at the next start.
import { Refusal } from '../domain/refusal.ts';
import { addUsage, NO_USAGE, type Usage } from '../domain/sessions/session.ts';
import { tellIndexOfLast } from '../host/commits/land.ts';
import { headCommit } from '../host/git/git.ts';
import { findGit } from '../host/git/git-directory.ts';
import { saveIndex } from '../host/git/saved-index.ts';
import { removeStaleLocks } from '../host/git/stale-lock.ts';
import { type TakenTree, takeTree } from '../host/git/work-tree.ts';
import { type OwnFiles, readOwnFiles } from '../host/own-files.ts';
import { isCommand } from '../host/processes/find-executable.ts';
import { identify, isAlive, liveness } from '../host/processes/process-identity.ts';
import { isRepositoryGone, workTreesOf } from '../host/project.ts';
import { openBase } from '../host/work/session-base.ts';
import { isWorkChanged } from '../host/work/work-progress.ts';
import { stopListening } from '../queue/changes.ts';
import { findDatabase } from '../queue/queue.ts';
import { evidence } from '../queue/sessions/evidence.ts';
import { finish, hindranceIn } from '../queue/sessions/finish.ts';
import { keepHeartbeat } from '../queue/sessions/heartbeat.ts';
import { recover } from '../queue/sessions/recover.ts';
import { leftElsewhere, resumeTime, saveResume, startRunAlone, stopRun } from '../queue/sessions/runs.ts';
import { showSession } from '../queue/sessions/sessions.ts';
import { type Claim, claim } from '../queue/tasks/claim.ts';
import { needs } from '../queue/tasks/needs.ts';
import { status } from '../queue/tasks/status.ts';
import { findAgent } from './agents/index.ts';
import { cleanUpAfterDead, giveOverWhatIsDone } from './clean-up.ts';
import { openDeferredWrites } from './deferred-writes.ts';
import { createEffects, hindered } from './effects.ts';
import type { SupervisorInput } from './input.ts';
import { observeSession } from './observe-session.ts';
import { type Pause, pausesBy, waitUntil } from './pauses.ts';
import { makeReady, prepare } from './prepare.ts';
import { baselineCheck, takeBaseline } from './red-baseline.ts';
import { restoreGit, restoreOwnFiles, restoreState } from './restore.ts';
import { runAgent } from './run-agent.ts';
import { type AgentEnd, endOf, judgeFailure, NOT_RUN } from './session-end.ts';
import { isProgress, Stagnation } from './stagnation.ts';
import { nothingReady, REPOSITORY_GONE, type Stop, stagnated, stopAfter } from './stop.ts';
import { watchForTampering } from './tampering.ts';
import { elsewhereOf } from './written-elsewhere.ts';

export type Supervisor = {
  readonly run_id: number;
  recover(): Promise<void>;
  /** Why no further session is begun; null to go on. */
  enough(): Stop | null;
  /** Whether the gates are green before anything begins, or what the person has to decide; null to go on. */
  checkBaseline(): Promise<Stop | null>;
  claim(): Promise<Claim | null>;
  nothingReady(): Promise<Stop>;
  /** True when what the stop is about has passed, and the loop may go on. */
  waitedFor(stop: Stop): Promise<boolean>;
  work(claim: Claim): Promise<AgentEnd>;
  finish(claim: Claim, end: AgentEnd): Promise<void>;
  close(stop: Stop): Promise<void>;
  /** Whatever has happened: nothing is written to the queue any more. */
  stopHeartbeat(): Promise<void>;
};

export async function openSupervisor(input: SupervisorInput): Promise<Supervisor> {
  const { queue, root, stateDir, env, config } = input;
  const agent = findAgent(config);
  const rules = await watchForTampering(input);
  const run_id = await startRunAlone(queue, identify(process.pid), liveness);
  const heartbeat = keepHeartbeat(queue, run_id);
  const place = { root, env, stateDir };
  const trees = workTreesOf(place);
  const limits = { max_attempts: config.max_attempts, stuck: config.limits.stuck };
  const spent = { sessions: 0, cost_usd: 0, failures: 0 };
  const stagnation = new Stagnation(config.limits.stagnation);
  const elsewhere = elsewhereOf(input);
  let failure: string | null = null;
  let last: AgentEnd | null = null;
  let reviewed: AgentEnd | null = null;
  let before: { tree: string | null; files: OwnFiles; began: number } | null = null;
  let pause: Pause | null = null;
  const outageMs = input.wait.is ? Number.POSITIVE_INFINITY : config.limits.outage_minutes * 60_000;
  const pauses = pausesBy({ now: queue.now, pauseMs: input.wait.pauseMs, outageMs });
  // The tree that a session was proven on is what the next one finds, unless something comes between.
  let found: TakenTree | null = null;
  let taken: TakenTree | null = null;
  const currentTree = async (): Promise<string | null> => (await takeTree(place))?.tree ?? null;
  const budgetLeft = (): number => input.limits.budget_usd - spent.cost_usd;
  const books = openDeferredWrites(input, (reason) => input.tell({ kind: 'refused', reason }));
  const baseline = baselineCheck(input, agent, rules, elsewhere, run_id);
  const machine = createEffects(input, agent, rules, {
    budgetLeft,
    pauses,
    knownBefore: baseline.known,
    gateChanges: baseline.tellGateChanges,
    reviewed: (end) => {
      reviewed = end;
    },
    taken: (tree) => {
      taken = tree;
    },
  });

  return {
    run_id,
    recover: async () => {
      await input.sync();
      if (findGit(root) === null) input.tell({ kind: 'without_git' });
      if (config.gates.length === 0) input.tell({ kind: 'without_gates' });
      await cleanUpAfterDead(queue, place);
      for (const recovered of await recover(queue, { run_id, isAlive, trees, machine, limits }))
        input.tell({ kind: 'recovered', recovered });
      for (const session of await leftElsewhere(queue, isAlive, trees))
        input.tell({ kind: 'left_elsewhere', session });
      await input.settled();
      await giveOverWhatIsDone(queue, place, { keepTrees: config.commit === 'feature' });
      await hindranceIn(() => tellIndexOfLast(place));
      // Of what was recovered, and of what an earlier run could not write.
      books.writeJournal();
      // A limit outlives the run that met it. A person who does not want to wait is free to try.
      const until = input.wait.is ? await resumeTime(queue) : null;
      if (until !== null && until > queue.now()) pause = { fault: 'usage_limit', detail: null, until };
    },
    enough: () =>
      (isRepositoryGone(place) ? REPOSITORY_GONE : null) ??
      stopAfter({ last, spent, failure, limits: input.limits, stop: input.stop, config, pause }),
    checkBaseline: async () => {
      // Gates may leave something in the tree.
      if (!baseline.isChecked()) found = null;
      return baseline.check();
    },
    claim: async () => {
      // The journal is what is left of the last session where the next one removes the queue.
      const [base_commit] = await Promise.all([
        headCommit(place),
        input.sync().catch(tellRefusal(input)),
        books.written(),
      ]);
      const except = stagnation.passedOver();
      return claim(queue, {
        run_id,
        session_id: crypto.randomUUID(),
        base_commit,
        root,
        except,
        task_id: baseline.first(),
      });
    },
    nothingReady: async () => {
      const now = await status(queue);
      const tried = stagnation.passedOver();
      return now.ready > 0 && tried.length > 0
        ? stagnated(tried, baseline.first())
        : nothingReady(now, await needs(queue, NAMED), root);
    },
    waitedFor: async ({ resume_at, isOutage = false }) => {
      if (resume_at === null || input.stop.after.aborted) return false;
      if (!input.wait.is && !isOutage) return false;
      await waitUntil(input, run_id, { until: resume_at, fault: pause?.fault ?? null });
      last = null;
      pause = null;
      found = null;
      return true;
    },
    work: hindered(async (claimed) => {
      const replacements = await findDatabase(queue);
      before = { tree: null, files: readOwnFiles(root), began: performance.now() };
      if (await elsewhere.beforeSession()) found = null;
      const tree = await makeReady(input, claimed, found);
      if (!(await rules.areAllowed())) return { ...NOT_RUN, fault: 'not_trusted' };
      // Before the gates are run for it: those may take minutes.
      if (!isCommand(agent.executable, root, env['PATH']))
        return { ...NOT_RUN, fault: 'cannot_start', detail: 'ENOENT' };
      // Somebody else's change of the rules; what the task itself changed is dealt with when it says done.
      if (tree !== null && (await rules.bent(claimed.task.id)) !== null)
        return { ...NOT_RUN, fault: 'not_trusted' };
      const { red, hasRun } = await takeBaseline(queue, machine, rules, claimed, input.baseline.accepted);
      if (red.length > 0) input.tell({ kind: 'red_before', claim: claimed, gates: red });
      if (input.stop.after.aborted) return { ...NOT_RUN, fault: 'supervisor_killed' };
      const plan = await prepare(input, claimed, budgetLeft());
      // Gates may leave something in the tree.
      before.tree = !hasRun && tree !== null ? tree : await currentTree();
      input.tell({ kind: 'started', claim: claimed, model: plan.model, max_turns: plan.max_turns });
      const listener = observeSession(input, claimed);
      const options = { env, limits: config.limits, stop: input.stop.now };
      let deaf: Promise<void> = Promise.resolve();
      await saveIndex(place, claimed.session.id);
      await openBase(place, { session_id: claimed.session.id, task_id: claimed.task.id });
      const end = await runAgent(agent, plan, {
        ...options,
        works: { task_id: claimed.task.id, stateDir },
        onObservation: listener.hear,
        onEnding: () => {
          // Where this cannot be written, the finish closes the session.
          deaf = stopListening(queue, claimed.session.id, queue.now()).catch(() => {});
        },
        // Not on the way from one session to the next, which is what people wait for.
        onStart: () => books.began(claimed.session.id, plan.learnings),
      });
      await deaf;
      await restoreState(input, claimed, plan, replacements);
      await Promise.all([listener.heard(), books.given()]);
      // A git of the agent's that was ended with it.
      await removeStaleLocks(place, claimed.session.started);
      return end;
    }),
    finish: async (claimed, ended) => {
      input.tell({ kind: 'checking', claim: claimed });
      const tree_before = before?.tree ?? null;
      const written = { files: ended.files, unnamed: ended.unnamed_writes || !agent.namesWrites };
      // Without git nobody can tell, and nobody is blamed.
      const hasChanged = async (tree: string | null): Promise<boolean> =>
        tree_before === null || tree === null || isWorkChanged(place, tree_before, tree, written);
      let changed_files = false;
      let end = ended;
      const failed = await hindranceIn(async () => {
        await restoreGit(input, claimed);
        await elsewhere.afterSession(claimed, end.files);
        // Git is asked only where the answer counts: it is what a turn costs.
        if (end.limit !== null) changed_files = await hasChanged(await currentTree());
        // Whom a person ended has not failed.
        if (input.stop.now.aborted) return;
        end = await judgeFailure(end, async () => {
          const { signals } = await showSession(queue, claimed.session.id);
          return signals.length > 0 || (tree_before !== null && (await hasChanged(await currentTree())));
        });
      });
      await restoreOwnFiles(input, claimed, before?.files ?? new Map());
      const until = end.limited_until ?? queue.now() + input.wait.pauseMs;
      reviewed = null;
      taken = null;
      const decision = await finish(queue, {
        session_id: claimed.session.id,
        run_id,
        end: endOf(end, { changed_files, limited_until: until, isStopped: input.stop.now.aborted }),
        usage: end.usage,
        next_model: end.next_model,
        last_words: end.last_said ?? end.last_words,
        hindrance: end.hindrance ?? failed,
        machine,
        limits,
      });
      const proof = await evidence(queue, claimed.session);
      const tree = lastTree(taken);
      last = faultyOf(end, reviewed);
      pause = pauses.after(last);
      if (pause?.fault === 'usage_limit' && pause.until !== null)
        await saveResume(queue, run_id, pause.until);
      failure = decision.hindrance?.kind === 'machine_failed' ? decision.hindrance.reason : null;
      spent.failures = failure === null ? 0 : spent.failures + 1;
      books.writeJournal();
      spent.sessions += 1;
      const paid = { ...end, usage: addUsage(end.usage, usageOf(reviewed)) };
      spent.cost_usd += paid.usage.cost_usd;
      const look = { queue, session_id: claimed.session.id, hasChanged: () => hasChanged(tree) };
      stagnation.sessionEnded(claimed.task.id, await isProgress(decision, look));
      baseline.settled(claimed.task.id, decision.status);
      if (decision.status === 'failed') stagnation.forget(claimed.task.id);
      const duration_ms = performance.now() - (before?.began ?? 0);
      const isTreeChanged = await input.settled();
      // Gates may have left something in the tree since, and the commit of a feature adds its entry to PROGRESS.md.
      const isKnown = config.gates.length === 0 && config.commit !== 'feature' && !isTreeChanged;
      found = isKnown ? taken : null;
      input.tell({ kind: 'finished', claim: claimed, decision, end: paid, duration_ms, ...proof });
    },
    close: async (stop) => {
      await books.written();
      // Where a person's git held the index: their next commit would undo the last task's.
      await hindranceIn(() => tellIndexOfLast(place));
      await stopRun(queue, run_id, stop.reason);
    },
    stopHeartbeat: heartbeat.stop,
  };
}

/** Assigned by a callback, which the compiler does not see. */
const lastTree = (taken: TakenTree | null): string | null => taken?.tree ?? null;

/** More than this many tasks are not named in one sentence. */
const NAMED = 10;

const usageOf = (end: AgentEnd | null): Usage => end?.usage ?? NO_USAGE;

/** A review that met a fault tells as much of the agent as the work would have. */
const faultyOf = (work: AgentEnd, review: AgentEnd | null): AgentEnd =>
  work.fault === null && review !== null ? review : work;

/** A file that is wrong for a while must not end a run: what was there before stays. */
const tellRefusal =
  (input: SupervisorInput) =>
  (error: unknown): void => {
    if (!(error instanceof Refusal)) throw error;
    input.tell({ kind: 'refused', reason: error.message });
  };
