// The input of a supervisor, and the events that it tells its observers.

import type { GatherInput } from '../context/gather.ts';
import type { Config } from '../domain/config.ts';
import type { RecipeName } from '../domain/context.ts';
import type { AgentFault } from '../domain/sessions/agent-failure.ts';
import type { GateResult, GateStep } from '../domain/sessions/gate.ts';
import type { Session } from '../domain/sessions/session.ts';
import type { Decision } from '../domain/sessions/settle.ts';
import type { Environment } from '../host/processes/spawn.ts';
import type { Sandbox } from '../host/sandbox/sandbox.ts';
import type { Queue } from '../queue/queue.ts';
import type { RecoveredSession } from '../queue/sessions/recover.ts';
import type { Evidence } from '../queue/sessions/verify-evidence.ts';
import type { Claim } from '../queue/tasks/claim.ts';
import type { Prompt } from '../recipes/render.ts';
import type { Observation } from './agents/agent.ts';
import type { AgentEnd } from './agents/session-end.ts';
import type { Patience } from './patience.ts';
import type { LookedPull } from './pull-requests/watch-pulls.ts';
import type { SessionServer } from './sessions/session-server.ts';

/** What the project would execute now, and whether a person has allowed all of it. */
export type Trust = {
  lines: readonly string[];
  /** What the configuration itself names; `lines` also has the scripts behind the gates. */
  executable: readonly string[];
  trusted: boolean;
};

/** A person wants the run to stop after the current session, or now. */
export type StopSignals = { after: AbortSignal; now: AbortSignal };

export type SupervisorInput = {
  queue: Queue;
  root: string;
  stateDir: string;
  /** Of Ralph. */
  version: string;
  /** Where the slots of this project are. */
  slotsFolder: string;
  /** The folder for slots of another work tree of the same repository. */
  slotsFolderOf?(root: string): string;
  env: Environment;
  /** What agents, gates, setup and hooks run in. */
  sandbox: Sandbox;
  /** As Ralph read and trusted it before the first session: no session can change what judges it. */
  config: Config;
  /** `folder`: where to look for scripts and settings; the project itself by default. */
  trust(folder?: string): Promise<Trust>;
  /** How agents reach Ralph. */
  sessions: SessionServer;
  /** How to start Ralph itself. */
  ralph: readonly string[];
  /** `agent`, `model`: what the person asked for, if they did. */
  limits: { sessions: number; budget_usd: number; agent: string | null; model: string | null };
  /** Whether to wait for limits, and for how long if the agent does not tell when its limit ends. */
  wait: { enabled: boolean; pauseMs: number /** Whether to wait for work as well. */; isEndless?: boolean };
  /** Gates that fail before the first session: an agent repairs them first, or the person accepts them by name. */
  baseline: { fix: boolean; accepted: readonly string[] };
  stop: StopSignals;
  patience: Patience;
  writePrompt(recipe: RecipeName, input: GatherInput): Promise<Prompt>;
  sync(): Promise<void>;
  /** Updates the files that follow the queue after a task was settled. True if one in the work tree changed. */
  settled(): Promise<boolean>;
  tell(event: SupervisorEvent): void;
};

/** What a ground needs of the run, or of the client, whose sessions work there. */
export type GroundInput = Pick<
  SupervisorInput,
  'queue' | 'root' | 'stateDir' | 'slotsFolder' | 'slotsFolderOf' | 'sandbox' | 'env' | 'config' | 'tell'
> & {
  stop: StopSignals;
  baseline: Pick<SupervisorInput['baseline'], 'accepted'>;
  /** True while other processes work on this project: the settings of git that they adopted hold. */
  isBeside?: boolean;
  /** Whether to wait for a remote for as long as it takes. */
  isPatient?: boolean;
};

/** Of a session: its agent works, its gates run, or it waits to land and lands. */
export type SessionPhase = 'working' | 'proving' | 'landing';

export type SlotStep = 'making' | 'setup' | 'repaired';

export type SupervisorEvent =
  | { kind: 'recovered'; recovered: RecoveredSession }
  /** Left unfinished by a dead run in another work tree. */
  | { kind: 'left_elsewhere'; session: Session }
  | { kind: 'refused'; reason: string }
  | { kind: 'without_git' }
  /** Without gates nothing proves a done. */
  | { kind: 'without_gates' }
  /** The agent does not tell what it costs, so no budget in dollars holds for it. */
  | { kind: 'without_cost'; agent: string; max_turns: number }
  /** How agents and gates are kept from the machine, if it is less than it could be; and whom the sandbox refused. */
  | { kind: 'sandbox'; text: string }
  /** About other machines, or the database that they share. */
  | { kind: 'fleet'; text: string }
  /** The configuration wants several sessions at the same time, but they work in the checkout. */
  | { kind: 'one_at_a_time'; jobs: number }
  /** After its last task: the work of a feature, or its entry in the progress file. */
  | { kind: 'feature_committed'; title: string; commit: string }
  /** Before the first session. The path of a log is relative to the project. */
  | { kind: 'red_baseline'; gates: readonly GateResult[] }
  | { kind: 'red_before'; claim: Claim; gates: readonly GateResult[] }
  /** A gate begins or has ended: before a session, or to prove one. */
  | {
      kind: 'gate';
      phase: 'before' | 'after';
      /** Null before the first session. */
      claim: Claim | null;
      step: GateStep;
    }
  /** `fault`: what has to pass; null if the tasks themselves may not start earlier. */
  /** Nothing can start before that. `agent`: whose fault it is, if it is one. */
  | { kind: 'waiting'; until: number; fault: AgentFault | null; agent: string | null }
  /**
   * One agent starts nothing before that, and the others go on. `until`: null if this run does not try it again. `sentence`: what
   * a person has to mend; null if it passes by itself.
   */
  | { kind: 'parked'; agent: string; until: number | null; fault: AgentFault; sentence: string | null }
  /** `slot`: null where the session works in the person's own checkout. */
  | { kind: 'started'; claim: Claim; slot: number | null; model: string; max_turns: number }
  /** A session goes on to its next phase. `behind`: the tasks that land before it. */
  | { kind: 'phase'; claim: Claim; phase: SessionPhase; behind: readonly number[] }
  | { kind: 'observed'; claim: Claim; observation: Observation }
  | { kind: 'not_believed'; claim: Claim; why: string }
  | { kind: 'put_back'; claim: Claim; files: readonly string[] }
  | { kind: 'excludes_restored'; claim: Claim }
  | { kind: 'state_restored'; claim: Claim }
  | { kind: 'rules_changed'; claim: Claim }
  | { kind: 'gate_changed_files'; gate: string; files: readonly string[] }
  | { kind: 'unsigned'; reason: string }
  | { kind: 'checking'; claim: Claim }
  | { kind: 'reviewing'; claim: Claim; task_id: number; model: string }
  /** The work did not merge, or a gate is red on the merge. `others`: what had landed since the session began. */
  | {
      kind: 'not_landed';
      claim: Claim;
      problem: {
        kind: 'conflict' | 'red';
        paths: readonly string[];
        others: readonly { commit: string; subject: string }[];
      };
    }
  /** What became of the pull request of a task. */
  | ({ kind: 'pull' } & LookedPull)
  /** GitHub did not answer. */
  | { kind: 'pulls_unseen'; reason: string }
  /** The person's branch and checkout have taken over what landed. */
  | { kind: 'checkout_followed'; branch: string; commit: string; commits: number }
  /** What landed waits for the person. `reason`: a sentence that says what to do. */
  | { kind: 'checkout_waits'; branch: string; commits: number; reason: string }
  | { kind: 'slot'; slot: number; step: SlotStep; ended: boolean; detail: string | null }
  /** The gate gave both results on the same files. */
  | { kind: 'flaky_gate'; claim: Claim | null; gate: string; red: number; runs: number }
  /** Files below .ralph in the checkout changed while agents were at work: they wait for the person. */
  | { kind: 'definitions_held'; files: readonly string[] }
  /** A command beside the run approved or changed files below .ralph. From now on they count. */
  | { kind: 'definitions_accepted'; files: readonly string[] }
  /** While an earlier run was at work. `added`, `gone`: commands. */
  | { kind: 'trusted_meanwhile'; at: number; added: readonly string[]; gone: readonly string[] }
  /** The agent changed files below .ralph in its slot: Ralph keeps them as a proposal to the person. */
  | { kind: 'definitions_changed'; claim: Claim; files: readonly string[] }
  | ({ kind: 'finished'; claim: Claim; decision: Decision; end: AgentEnd; duration_ms: number } & Evidence);
