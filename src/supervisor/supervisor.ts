// What the loop of scripts/supervisor.ts is made of. Each step may be interrupted; what it left is recovered at the next start.
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../domain/config.ts';
import type { RecipeName } from '../domain/context.ts';
import { Refusal } from '../domain/refusal.ts';
import type { SessionEnd } from '../domain/session.ts';
import type { Decision } from '../domain/settle.ts';
import { headCommit } from '../host/git.ts';
import { identify, isAlive } from '../host/process-identity.ts';
import { proofBy } from '../host/proof.ts';
import { killCarriers } from '../host/reap.ts';
import { currentTree } from '../host/session-work.ts';
import type { Environment } from '../host/spawn.ts';
import { giveOver } from '../host/work-aside.ts';
import type { GatherInput } from '../knowledge/gather.ts';
import { type Claim, claim } from '../queue/claim.ts';
import { finish, type Machine } from '../queue/finish.ts';
import type { Queue } from '../queue/queue.ts';
import { type Recovered, recover } from '../queue/recover.ts';
import { saveResume, startRun, stopRun } from '../queue/runs.ts';
import { status } from '../queue/status.ts';
import type { Prompt } from '../recipes/render.ts';
import type { Agent, Observation } from './agent.ts';
import { claude } from './agents/claude.ts';
import { commandAgent } from './agents/command.ts';
import { prepare } from './prepare.ts';
import { type AgentEnd, runAgent } from './run-agent.ts';
import { nothingReady, type Stop, stopAfter } from './stop.ts';

export type SupervisorInput = {
  queue: Queue;
  root: string;
  stateDir: string;
  env: Environment;
  /** As it was read, and trusted, before the first session: no session can change what it is judged by. */
  config: Config;
  /** How to start Ralph itself. */
  ralph: readonly string[];
  limits: { sessions: number; budget_usd: number; model: string | null };
  /** How long to wait for a limit whose end nobody knows, and whether to wait at all. */
  wait: { is: boolean; pauseMs: number };
  stop: { after: AbortSignal; now: AbortSignal };
  writePrompt(recipe: RecipeName, input: GatherInput): Promise<Prompt>;
  sync(): Promise<void>;
  tell(event: SupervisorEvent): void;
};

export type SupervisorEvent =
  | { kind: 'recovered'; recovered: Recovered }
  | { kind: 'set_aside'; task_id: number }
  | { kind: 'waiting'; until: number }
  | { kind: 'started'; claim: Claim; model: string }
  | { kind: 'observed'; claim: Claim; observation: Observation }
  | { kind: 'finished'; claim: Claim; decision: Decision; end: AgentEnd; duration_ms: number };

export type Supervisor = {
  recover(): Promise<void>;
  /** Why no further session is begun; null to go on. */
  enough(): Stop | null;
  claim(): Promise<Claim | null>;
  nothingReady(): Promise<Stop>;
  /** True when what the stop is about has passed, and the loop may go on. */
  waitedFor(stop: Stop): Promise<boolean>;
  work(claim: Claim): Promise<AgentEnd>;
  finish(claim: Claim, end: AgentEnd): Promise<void>;
  close(stop: Stop): Promise<void>;
};

export async function openSupervisor(input: SupervisorInput): Promise<Supervisor> {
  const { queue, root, stateDir, env, config } = input;
  const agent = agentOf(config);
  await requireAlone(queue);
  const run_id = await startRun(queue, identify(process.pid));
  const place = { root, env, stateDir };
  const limits = { max_attempts: config.max_attempts, stuck: config.limits.stuck };
  const machine = machineOf(input);
  const spent = { sessions: 0, cost_usd: 0, unchanged: 0 };
  let last: AgentEnd | null = null;
  let before: string | null = null;
  let began = 0;
  let limited_until = 0;

  return {
    recover: async () => {
      await input.sync();
      for (const recovered of await recover(queue, { run_id, isAlive, machine, limits }))
        input.tell({ kind: 'recovered', recovered });
    },
    enough: () => stopAfter({ last, spent, limits: input.limits, stop: input.stop, config, limited_until }),
    claim: async () => {
      await input.sync();
      const session_id = crypto.randomUUID();
      return claim(queue, { run_id, session_id, base_commit: await headCommit(place) });
    },
    nothingReady: async () => nothingReady(await status(queue)),
    waitedFor: async ({ resume_at }) => {
      if (!input.wait.is || resume_at === null || input.stop.after.aborted) return false;
      input.tell({ kind: 'waiting', until: resume_at });
      await saveResume(queue, run_id, resume_at);
      await pauseUntil(resume_at, queue.now, input.stop.after);
      last = null;
      return true;
    },
    work: async (claimed) => {
      began = performance.now();
      const plan = await prepare(input, claimed);
      before = await currentTree(place);
      input.tell({ kind: 'started', claim: claimed, model: plan.model });
      return runAgent(agent, plan, {
        env,
        limits: config.limits,
        stop: input.stop.now,
        onObservation: (observation) => input.tell({ kind: 'observed', claim: claimed, observation }),
      });
    },
    finish: async (claimed, end) => {
      const changed = (await currentTree(place)) !== before;
      limited_until = queue.now() + input.wait.pauseMs;
      const decision = await finish(queue, {
        session_id: claimed.session.id,
        run_id,
        end: sessionEnd(end, changed, limited_until, input.stop.now.aborted),
        usage: end.usage,
        machine,
        limits,
      });
      if (decision.status === 'done') await giveOver(place);
      last = end;
      spent.sessions += 1;
      spent.cost_usd += end.usage.cost_usd;
      spent.unchanged = unchangedAfter(spent.unchanged, changed, decision);
      const duration_ms = performance.now() - began;
      input.tell({ kind: 'finished', claim: claimed, decision, end, duration_ms });
    },
    close: (stop) => stopRun(queue, run_id, stop.reason),
  };
}

/** Two supervisors would fight over one work tree. */
async function requireAlone(queue: Queue): Promise<void> {
  const { runs } = await status(queue);
  const other = runs.find((run) => run.kind === 'supervisor' && isAlive(run));
  if (other === undefined) return;
  const since = new Date(other.started).toISOString();
  throw new Refusal(
    `Another ralph run is at work here: pid ${other.pid}, since ${since}. Wait for it, or end it first.`,
  );
}

function agentOf({ agent, agents }: Config): Agent {
  const own = Object.hasOwn(agents, agent) ? agents[agent] : undefined;
  if (own === undefined) return claude;
  if (own.protocol === 'verbs') return commandAgent(own.command);
  throw new Refusal(
    `The agent "${agent}" reports by sigils, which ralph run does not read yet; have it use the verbs.`,
  );
}

function machineOf({ root, stateDir, env, config }: SupervisorInput): Machine {
  return {
    ...proofBy({ root, env, stateDir }, async () => config),
    reap: async (session_id) => {
      await killCarriers(`RALPH_SESSION_ID=${session_id}`);
    },
  };
}

/** Sessions in a row that left nothing behind. A fault of the infrastructure says nothing of them; a question is something. */
function unchangedAfter(count: number, changed: boolean, { outcome, status: now }: Decision): number {
  if (outcome === 'interrupted') return count;
  return changed || now === 'done' || now === 'needs_input' || now === 'blocked' ? 0 : count + 1;
}

/** Looked at now and then: a machine that slept wakes up late, and a person may want to stop. */
const LOOK_EVERY_MS = 1_000;

async function pauseUntil(time: number, now: () => number, stop: AbortSignal): Promise<void> {
  while (now() < time && !stop.aborted) await pause(Math.min(LOOK_EVERY_MS, time - now()));
}

function sessionEnd(
  end: AgentEnd,
  changed_files: boolean,
  limited_until: number,
  isStopped: boolean,
): SessionEnd {
  const { fault, limit, error, exit_code } = end;
  if (isStopped) return { kind: 'infrastructure', fault: 'supervisor_killed', resume_at: null };
  // An agent that is not there has done nothing wrong.
  if (error !== null) return { kind: 'infrastructure', fault: 'not_logged_in', resume_at: null };
  if (fault !== null) {
    const pauses = fault === 'usage_limit' || fault === 'overloaded';
    return { kind: 'infrastructure', fault, resume_at: pauses ? limited_until : null };
  }
  if (limit !== null) return { kind: 'limit', limit, changed_files };
  return { kind: 'exited', exit_code };
}
