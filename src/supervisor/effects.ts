// The effects that the queue needs to finish a session: tamper check, gates, review, commit, and killing leftover processes.

import type { Config } from '../domain/config.ts';
import { findFailure } from '../domain/sessions/agent-failure.ts';
import { isAccepted } from '../domain/sessions/approval-questions.ts';
import { withUnsaved } from '../domain/sessions/gate.ts';
import { NotLanded } from '../domain/sessions/landing.ts';
import type { Session, Usage } from '../domain/sessions/session.ts';
import type { Task } from '../domain/tasks/task.ts';
import type { OpenFile } from '../files/own-file.ts';
import { readLines } from '../files/read-lines.ts';
import { allowedMatcher } from '../files/secret-files.ts';
import { openArtifacts } from '../host/artifacts/artifacts.ts';
import { GateStopped } from '../host/gates/gates.ts';
import { killCarriers } from '../host/processes/reap.ts';
import { ARTIFACT } from '../host/session-folder.ts';
import type { Queue } from '../queue/queue.ts';
import { storedArtifacts } from '../queue/sessions/artifacts.ts';
import type { Effects } from '../queue/sessions/finish.ts';
import { knownGateResults, rateWithFlaky } from '../queue/sessions/gate-results.ts';
import { showSession } from '../queue/sessions/sessions.ts';
import type { Claim } from '../queue/tasks/claim.ts';
import { show } from '../queue/tasks/show.ts';
import type { Agent } from './agents/agent.ts';
import { chooseReviewer } from './agents/index.ts';
import { type AgentEnd, applyObservation, NOT_RUN } from './agents/session-end.ts';
import { recordReport, SigilListener } from './agents/sigils.ts';
import type { GroundEffects } from './ground/ground.ts';
import { waitOut } from './pauses.ts';
import type { Run } from './run.ts';
import { chooseTaskAgent } from './sessions/prepare.ts';
import { holdReview } from './sessions/review.ts';

export type SupervisorEffects = Effects & GroundEffects;

/** What Ralph learned while it finished a session. */
type Findings = {
  /** How the process of a review ended; null without a review. */
  reviewEnd: AgentEnd | null;
};

export type SessionEffects = { effects: SupervisorEffects; findings(): Findings };

export function createEffects(
  { id: run_id, input, place, findAgent, baseline, pauses, ground, tellOnce }: Run,
  /** What a review may still spend. */
  budgetLeft: () => number,
  /** Null for sessions of a dead run. */
  claim: Claim | null,
): SessionEffects {
  const { queue, config } = input;
  const artifacts = openArtifacts(place.stateDir, storedArtifacts(queue));
  /** Of a session of another machine, the database has it. */
  const openStream = (session_id: string) => () => artifacts.open({ session_id }, ARTIFACT.stream);
  let findings: Findings = { reviewEnd: null };
  let phase: 'before' | 'after' = 'after';
  const verifier = ground.effects({
    isRecovery: claim === null,
    followsBeside: claim !== null,
    knownGates: async (tree) => withUnsaved(await knownGateResults(queue, tree), baseline.knownGates(tree)),
    secrets: {
      questions: async (task_id) => (await show(queue, task_id)).questions,
      allowed: async () => allowedMatcher(config.secrets_allowed),
    },
    onGate: (step) => input.tell({ kind: 'gate', phase, claim, step }),
    onGateChanges: (changes) => tellOnce({ kind: 'gate_changed_files', ...changes }),
    onFlaky: async (name) => {
      const { red, runs } = await rateWithFlaky(queue, name);
      input.tell({ kind: 'flaky_gate', claim, gate: name, red, runs });
    },
    onUnsigned: (reason) => tellOnce({ kind: 'unsigned', reason }),
  });
  const tellNotLanded = (error: unknown): never => {
    if (error instanceof NotLanded && claim !== null) {
      const { kind, others } = error.problem;
      const paths = error.problem.kind === 'conflict' ? error.problem.paths : [];
      input.tell({ kind: 'not_landed', claim, problem: { kind, paths, others } });
    }
    throw error;
  };
  /** As it was chosen then: nothing that decides it changes before the session is settled. */
  const sessionAgent = async (session_id: string): Promise<Agent> => {
    const { session } = await showSession(queue, session_id);
    return findAgent((await chooseTaskAgent(input, await show(queue, session.task_id))).agent);
  };
  const effects: SupervisorEffects = {
    ...verifier,
    runBaseline: (claimed) => {
      phase = 'before';
      return verifier.runBaseline(claimed);
    },
    runGates: (claimed, done) => {
      phase = 'after';
      return verifier.runGates(claimed, done).catch(tellNotLanded);
    },
    commit: (live, done, gates) => verifier.commit(live, done, gates).catch(tellNotLanded),
    verifiesFeatures: async () => config.verify_feature,
    commitsFeatures: async () => config.commit === 'feature',
    review: async (live) => {
      if (!needsReview(config.review.when, live.task)) return null;
      const { questions, sessions } = await show(queue, live.task.id);
      if (isAccepted(questions)) return null;
      verifier.pauseLanding(live.session.id);
      const waitForReviewer = async (end: AgentEnd): Promise<boolean> =>
        // What a person has to mend does not pass while the reviewer waits.
        findFailure(end.fault)?.policy !== 'stop' &&
        waitOut(input, live.session.run_id ?? run_id, pauses.after(end));
      const tries = (sessions.find(({ id }) => id === live.session.id)?.try ?? 1) - 1;
      const onReview = (model: string): void => {
        const reviewed = claim ?? { ...live, tries, passed_over: [] };
        input.tell({ kind: 'reviewing', claim: reviewed, task_id: live.task.id, model });
      };
      const result = await holdReview(input, findAgent(chooseReviewer(config).agent), live, {
        budget_usd: budgetLeft(),
        waitForReviewer,
        onReview,
        ground: verifier.reviewGround(live),
      });
      findings = { reviewEnd: { ...result.end, usage: result.usage } };
      if (result.verdict !== null) return { review: result.verdict, usage: result.usage };
      // As for stopped gates: the next run verifies the session again.
      const failure = findFailure(result.end.fault);
      const isWaiting = input.stop.after.aborted && failure !== null && failure.policy !== 'stop';
      if (result.isStopped || isWaiting) throw new GateStopped('The review was stopped.');
      const isRequired = config.review.when === 'always';
      return { review: { approved: null, reason: result.reason, isRequired }, usage: result.usage };
    },
    readUsage: async (session_id) => recoveredUsage(await sessionAgent(session_id), openStream(session_id)),
    reap: async (session_id) => {
      await killCarriers(`RALPH_SESSION_ID=${session_id}`);
      const { session, signals } = await showSession(queue, session_id);
      // Its dead supervisor may have been killed before it recorded them.
      const agent = await sessionAgent(session_id);
      if (agent.reportsBySigils && session.closing === null && signals.length === 0)
        await recordSigils(queue, session, openStream(session_id));
    },
  };
  return { effects, findings: () => findings };
}

const needsReview = (when: Config['review']['when'], { priority }: Pick<Task, 'priority'>): boolean =>
  when === 'always' || (when === 'high' && (priority === 'high' || priority === 'critical'));

async function recordSigils(queue: Queue, { id, task_id }: Session, stream: OpenFile): Promise<void> {
  const listener = new SigilListener();
  for await (const line of readLines(stream)) listener.push(line);
  await recordReport(queue, { session_id: id, task_id }, listener.report(task_id));
}

/** What a session had consumed when its supervisor died, as far as its stream tells. */
async function recoveredUsage(agent: Agent, stream: OpenFile): Promise<Usage> {
  let end = NOT_RUN;
  for await (const line of readLines(stream))
    for (const observation of agent.observe(line)) end = applyObservation(end, observation);
  return end.usage;
}
