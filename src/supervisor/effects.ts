// What the queue needs of the world to finish a session: rules, gates, review, commit, and an end to what was left running.

import type { Config } from '../domain/config.ts';
import { failureBy } from '../domain/sessions/agent-failure.ts';
import { isAccepted } from '../domain/sessions/approval-questions.ts';
import type { KnownGate } from '../domain/sessions/gate.ts';
import type { Task } from '../domain/tasks/task.ts';
import { allowedMatcher } from '../files/secret-files.ts';
import { GateStopped } from '../host/gates/gates.ts';
import type { GateChanges } from '../host/gates/watch-gates.ts';
import type { TakenTree } from '../host/git/work-tree.ts';
import { killCarriers } from '../host/processes/reap.ts';
import { createVerifier, type Verifier } from '../host/verify.ts';
import { undoAgentsMoves } from '../host/work/branch.ts';
import { discardWork, saveUnfinished } from '../host/work/work-in-progress.ts';
import type { Effects } from '../queue/sessions/finish.ts';
import { hindranceIn } from '../queue/sessions/finish.ts';
import { knownGateResults } from '../queue/sessions/gate-results.ts';
import type { LiveSession } from '../queue/sessions/live-session.ts';
import { showSession } from '../queue/sessions/sessions.ts';
import type { Claim } from '../queue/tasks/claim.ts';
import { featureWork } from '../queue/tasks/features.ts';
import { show } from '../queue/tasks/show.ts';
import type { Agent } from './agent.ts';
import type { SupervisorInput } from './input.ts';
import type { Pauses } from './pauses.ts';
import { waitOut } from './pauses.ts';
import { recoveredUsage } from './recovered-usage.ts';
import { holdReview } from './review.ts';
import { type AgentEnd, NOT_RUN } from './session-end.ts';
import type { TamperDetector } from './tampering.ts';

export type SupervisorEffects = Effects & Verifier<LiveSession>;

export function createEffects(
  input: SupervisorInput,
  agent: Agent,
  rules: TamperDetector,
  told: {
    /** What is left of the run's budget. */
    budgetLeft(): number;
    /** How long the run waits for what passes by itself. */
    pauses: Pauses;
    /** How the process of a review ended. */
    reviewed(end: AgentEnd): void;
    /** What gates said before the first session. */
    knownBefore(tree_hash: string): readonly KnownGate[];
    gateChanges(changes: GateChanges): void;
    /** How the work tree was when it was looked at last. */
    taken(tree: TakenTree): void;
  },
): SupervisorEffects {
  const { queue, root, stateDir, env, config } = input;
  const place = { root, env, stateDir };
  let judged: TakenTree | null = null;
  let isUnsignedTold = false;
  let phase: 'before' | 'after' = 'after';
  const proof = createVerifier({
    place,
    rules: async () => config,
    known: async (tree) => withUnsaved(await knownGateResults(queue, tree), told.knownBefore(tree)),
    secrets: {
      questions: async (task_id) => (await show(queue, task_id)).questions,
      allowed: async () => allowedMatcher(config.secrets_allowed),
    },
    featureWork: (live: LiveSession) => featureWork(queue, live, config.verify_feature),
    stop: input.stop.now,
    accepted: input.baseline.accepted,
    onTaken: (tree) => {
      judged = tree;
      told.taken(tree);
    },
    onGate: (step) => input.tell({ kind: 'gate', phase, step }),
    onGateChanges: told.gateChanges,
    onUnsigned: (reason) => {
      if (!isUnsignedTold) input.tell({ kind: 'unsigned', reason });
      isUnsignedTold = true;
    },
  });
  return {
    ...proof,
    runBaseline: (claimed) => {
      phase = 'before';
      return proof.runBaseline(claimed);
    },
    runGates: (claimed, done) => {
      phase = 'after';
      return proof.runGates(claimed, done);
    },
    saveUnfinished: async ({ task, session }, gates) => {
      const subject = { task_id: task.id, session_id: session.id };
      const taken = await saveUnfinished(place, subject, gates.length > 0 ? judged : null, {
        agentCommits: config.commit === 'agent',
      });
      if (taken !== null) told.taken(taken);
    },
    settled: async ({ task }, { status }) => {
      if (status === 'done') await discardWork(place, task.id, { keepTrees: config.commit === 'feature' });
    },
    verifiesFeatures: async () => config.verify_feature,
    commitsFeatures: async () => config.commit === 'feature',
    findTampering: ({ task }) => rules.bent(task.id),
    review: async (live) => {
      if (!needsReview(config.review.when, live.task)) return null;
      if (isAccepted((await show(queue, live.task.id)).questions)) return null;
      const waitedFor = (end: AgentEnd): Promise<boolean> =>
        waitOut(input, live.session.run_id, told.pauses.after(end));
      const held = await holdReview(input, agent, live, { budget_usd: told.budgetLeft(), waitedFor });
      told.reviewed({ ...held.end, usage: held.usage });
      if (held.verdict !== null) return { review: held.verdict, usage: held.usage };
      // As where gates are stopped: what was being proven is proven by the next run.
      const isWaiting = input.stop.after.aborted && failureBy(held.end.fault)?.policy === 'outage';
      if (held.isStopped || isWaiting) throw new GateStopped('The review was stopped.');
      const isRequired = config.review.when === 'always';
      return { review: { approved: null, reason: held.reason, isRequired }, usage: held.usage };
    },
    usageOf: (session_id) => recoveredUsage(agent, stateDir, session_id),
    reap: async (session_id) => {
      await killCarriers(`RALPH_SESSION_ID=${session_id}`);
      const { session } = await showSession(queue, session_id);
      await undoAgentsMoves(place, session, { mayCommit: config.commit === 'agent' });
    },
  };
}

/** What the database knows comes first: what is in it need not be saved again. */
function withUnsaved(saved: readonly KnownGate[], unsaved: readonly KnownGate[]): KnownGate[] {
  const known = new Set(saved.map(({ definition }) => definition));
  return [...saved, ...unsaved.filter(({ definition }) => !known.has(definition))];
}

const needsReview = (when: Config['review']['when'], { priority }: Pick<Task, 'priority'>): boolean =>
  when === 'always' || (when === 'high' && (priority === 'high' || priority === 'critical'));

/** What fails before or after the agent's own work is told by the end, and the session is finished as any other. */
export const hindered =
  (work: (claimed: Claim) => Promise<AgentEnd>) =>
  async (claimed: Claim): Promise<AgentEnd> => {
    let end = NOT_RUN;
    const hindrance = await hindranceIn(async () => {
      end = await work(claimed);
    });
    return hindrance === null ? end : { ...NOT_RUN, fault: 'machine_failed', hindrance };
  };
