import { AGENT_FAULTS, type AgentFault, findFailure } from './agent-failure.ts';

/** Faults of the machine and of Ralph itself; those of agents have a table of their own. */
const OWN_FAULTS = {
  supervisor_killed: 'stopped',
  not_trusted: 'something nobody has allowed',
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

export const SESSION_LIMITS = ['turns', 'time', 'idle', 'budget'] as const;
export type SessionLimit = (typeof SESSION_LIMITS)[number];

/** How an agent's process came to its end, whatever it said before. */
export type SessionEnd =
  | { kind: 'exited'; exit_code: number | null }
  | { kind: 'limit'; limit: SessionLimit; changed_files: boolean }
  | Interruption;

/** `detail`: what the agent or its client said of it, where it said anything. */
export type Interruption = {
  kind: 'infrastructure';
  fault: InfrastructureFault;
  resume_at: number | null;
  detail?: string;
};

/** How it ended, of the session. */
export function endText(end: SessionEnd): string {
  switch (end.kind) {
    case 'exited':
      return end.exit_code === null ? 'it was ended' : `it exited with ${end.exit_code}`;
    case 'limit':
      return `it reached its limit: ${end.limit}`;
    case 'infrastructure':
      return `${faultWords(end.fault)}, at no cost to the task${end.detail === undefined ? '' : `: ${end.detail}`}`;
  }
}

/** What a session consumed, as far as the agent reported it. */
export type Usage = {
  model: string | null;
  turns: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
};

export const NO_USAGE: Usage = { model: null, turns: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0 };

/** The work and what else was spent on it; the model is that of the work. */
export const addUsage = (work: Usage, more: Usage): Usage => ({
  model: work.model,
  turns: work.turns + more.turns,
  input_tokens: work.input_tokens + more.input_tokens,
  output_tokens: work.output_tokens + more.output_tokens,
  cost_usd: work.cost_usd + more.cost_usd,
});

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
  /** Since when it takes no more signals: its finish has begun. */
  closing: number | null;
  ended: number | null;
  end: SessionEnd | null;
  outcome: string | null;
  /** The model that its agent asked for, for the task's next session. */
  next_model: string | null;
  usage: Usage;
};

/** Where a pid means something. Null where the system does not tell. */
export type PidPlace = { host: string | null; boot: string | null; pid_namespace: string | null };

/**
 * The process a run lives in. A pid alone is not enough: pids are used again, and are others on another boot or in another
 * container. Records of older versions have no place, and no heartbeat.
 */
export type ProcessIdentity = { pid: number; process_started: string | null } & Partial<PidPlace> & {
    heartbeat?: number | null;
  };

/** A supervisor launches sessions by itself; an interactive run is a client that takes tasks for a person. */
export type RunKind = 'supervisor' | 'interactive';

/** A run is stopped after the session it is at, or in the middle of it. */
export type StopTime = 'after' | 'now';

export type Run = ProcessIdentity & { id: number; kind: RunKind; started: number; ended: number | null };
// In which work tree a session was left. Its files, branch and index are there and nowhere else.

/** The work tree that Ralph was started in. `has`: whether another folder is still a work tree of this project. */
export type WorkTrees = { root: string; has(folder: string): boolean };

/** `lost`: the folder is gone, and what was not committed with it. */
export function locateWorkTree(
  { root }: Pick<Session, 'root'>,
  trees: WorkTrees,
): 'here' | 'elsewhere' | 'lost' {
  // Records of older versions do not say where.
  if (root === null || root === trees.root) return 'here';
  return trees.has(root) ? 'elsewhere' : 'lost';
}

export const leftElsewhereText = ({ id, task_id, root }: Pick<Session, 'id' | 'task_id' | 'root'>): string =>
  `Session ${id.slice(0, 8)} of task ${task_id} was left unfinished in ${root}; run ralph run there.`;
