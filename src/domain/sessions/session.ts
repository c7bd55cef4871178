import { AGENT_FAULTS, type AgentFault, findFailure } from './agent-failure.ts';
import type { RecordedPark } from './parked-agents.ts';

/** Faults of the machine and of Ralph itself. agent-failure.ts has those of agents. */
const OWN_FAULTS = {
  supervisor_killed: 'stopped',
  not_trusted: 'something in the project is not trusted',
  machine_failed: 'git or the disk failed',
} as const;

export type InfrastructureFault = AgentFault | keyof typeof OWN_FAULTS;

export const INFRASTRUCTURE_FAULTS: readonly InfrastructureFault[] = [
  ...AGENT_FAULTS,
  'supervisor_killed',
  'not_trusted',
  'machine_failed',
];

export const faultWords = (fault: InfrastructureFault): string =>
  findFailure(fault)?.words ?? OWN_FAULTS[fault as keyof typeof OWN_FAULTS] ?? fault.replaceAll('_', ' ');

/** How long to wait for a limit where no reset time is known. */
export const PAUSE_SECONDS = 300;

export const SESSION_LIMITS = ['turns', 'time', 'idle', 'budget', 'repeats'] as const;
export type SessionLimit = (typeof SESSION_LIMITS)[number];

/** How an agent's process ended, whatever its last verb was. */
export type SessionEnd =
  | { kind: 'exited'; exit_code: number | null }
  /** `detail`: the step that it repeated. */
  | { kind: 'limit'; limit: SessionLimit; changed_files: boolean; detail?: string }
  | Interruption;

/** `detail`: the message of the agent or its client, if there was one. */
export type Interruption = {
  kind: 'infrastructure';
  fault: InfrastructureFault;
  resume_at: number | null;
  detail?: string;
};

export function endText(end: SessionEnd): string {
  switch (end.kind) {
    case 'exited':
      return end.exit_code === null ? 'it was killed' : `it exited with ${end.exit_code}`;
    case 'limit':
      return `it reached its limit: ${end.limit}${end.detail === undefined ? '' : ` of ${end.detail}`}`;
    case 'infrastructure':
      return `${faultWords(end.fault)}, at no cost to the task${end.detail === undefined ? '' : `: ${end.detail}`}`;
  }
}

/** The consumption of a session, as far as the agent reported it. */
export type Usage = {
  model: string | null;
  turns: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
};

export const NO_USAGE: Usage = { model: null, turns: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0 };

/** Adds the usage of a review, for example. The model stays that of the work. */
export const addUsage = (work: Usage, more: Usage): Usage => ({
  model: work.model,
  turns: work.turns + more.turns,
  input_tokens: work.input_tokens + more.input_tokens,
  output_tokens: work.output_tokens + more.output_tokens,
  cost_usd: work.cost_usd + more.cost_usd,
});

/** `proving`: gates and reviews judge the work. `landing`: it waits for its turn, or gets onto its branch. */
const SESSION_PHASES = ['working', 'proving', 'landing'] as const;
export type SessionPhase = (typeof SESSION_PHASES)[number];

export type Session = {
  id: string;
  run_id: number;
  task_id: number;
  token: number;
  /** Where HEAD was when the session began. */
  base_commit: string | null;
  /** The work tree it works in; null in records of older versions. */
  root: string | null;
  started: number;
  /** The time since which it accepts no more signals, because its finish has begun. */
  closing: number | null;
  ended: number | null;
  end: SessionEnd | null;
  outcome: string | null;
  /** The model that the agent requested for the task's next session. */
  next_model: string | null;
  usage: Usage;
  /** The number of the checkout it works in; null if that is the project's own. */
  slot: number | null;
  /** Null once it has ended, and in records of older versions. */
  phase: SessionPhase | null;
  /** Holds what it changed, before that lands. */
  work_commit: string | null;
};

/** Where a task is worked on, and how far it has come. `after`: the tasks that land before it. */
export type TaskStage = Pick<Session, 'slot' | 'phase'> & { after: readonly number[] };

/** The host, boot and namespace in which a pid is valid. Null if the system does not tell. */
export type PidPlace = { host: string | null; boot: string | null; pid_namespace: string | null };

/** How a run's lease stood when it was read, on the database's clock. `unbroken_ms`: for how long it was renewed in time. */
export type Lease = { length_ms: number; left_ms: number; unbroken_ms: number };

/**
 * The process of a run. A pid alone is not enough: systems reuse pids, and another boot or container has its own. Records of
 * older versions have neither place nor heartbeat.
 */
export type ProcessIdentity = { pid: number; process_started: string | null } & Partial<PidPlace> & {
    heartbeat?: number | null;
    lease?: Lease | null;
    /** Whether several machines share the database that has the record: there, equal names of hosts prove nothing. */
    shared?: boolean;
  };

/** A supervisor launches sessions by itself. In an interactive run an MCP client takes tasks for a person. */
export type RunKind = 'supervisor' | 'interactive';

/** A run stops after its current session, or at once. */
export type StopTime = 'after' | 'now';

export type Run = ProcessIdentity & {
  id: number;
  kind: RunKind;
  started: number;
  ended: number | null;
  /** The work tree that it works in; null in records of older versions. */
  root?: string | null;
  jobs?: number | null;
  version?: string | null;
  /** Agents that start nothing: they wait for a usage limit, or for a person. */
  parked?: readonly RecordedPark[];
};

/** `root`: the work tree that Ralph was started in. `has`: whether a folder is still a work tree of this project. */
export type WorkTrees = { root: string; has(folder: string): boolean };

/** Where a session's files, branch and index are. `lost`: the folder is gone, with all uncommitted work. */
export function locateWorkTree(
  { root }: Pick<Session, 'root'>,
  trees: WorkTrees,
): 'here' | 'elsewhere' | 'lost' {
  // Older versions did not record the work tree.
  if (root === null || root === trees.root) return 'here';
  return trees.has(root) ? 'elsewhere' : 'lost';
}

export const leftElsewhereText = ({ id, task_id, root }: Pick<Session, 'id' | 'task_id' | 'root'>): string =>
  `Session ${id.slice(0, 8)} of task ${task_id} was left unfinished in ${root}; run ralph run there.`;
