import type { NeedKind, Shape } from './notifications/notification.ts';
import type { FaultPatterns } from './sessions/command-agent.ts';
import type { Effort } from './tasks/task.ts';

export type GateConfig = {
  name: string;
  /** A shell line, or an argument list that no shell sees. */
  command: string | readonly string[];
  required: boolean;
  timeout_seconds: number;
  /** A longer output keeps its first and its last part in the log. */
  max_output_mb: number;
  expect: string | null;
  /** `retry`: a red gate runs once more on the unchanged tree. Absent where a failure always counts, as for a hook. */
  flaky?: 'retry' | 'fail';
  /** The configuration's `env`, for the process that runs the gate. */
  env?: readonly string[];
};

export const STREAMS = ['claude', 'codex', 'gemini', 'opencode', 'copilot', 'lines'] as const;

/** An agent of the person's own. */
export type AgentConfig = {
  /** With placeholders. */
  command: readonly string[];
  protocol: 'verbs' | 'sigils';
  /** What it prints: events of a known program, or lines of text. */
  stream: (typeof STREAMS)[number];
  faults: FaultPatterns;
};

/** How Ralph prepares the checkouts that sessions work in. */
type SlotsConfig = {
  /** A shell line that prepares a fresh checkout. */
  setup: string | null;
  setup_seconds: number;
  /** Files whose change makes the setup run again. */
  stamp: readonly string[];
  /** Variables for agents, gates and setup; `{slot}` stands for the number of the slot. */
  env: Readonly<Record<string, string>>;
  /** Null for a number that depends on the machine. */
  gates_at_once: number | null;
  /** Null for Ralph's state folder. */
  folder: string | null;
  /** Patterns of ignored files, and of files in the home of gates (`~/`), that gates may leave for later ones. */
  keep: readonly string[];
  /** Whether every session begins without ignored files and with a new setup. */
  clean: boolean;
};

/** How finished work gets onto a branch. */
export type LandConfig = {
  /** Whether Ralph moves the branch itself, or opens pull requests. */
  target: 'branch' | 'pull_request';
  /** What gets a pull request of its own. */
  per: 'task' | 'feature';
  /** Null for the branch that is checked out. */
  branch: string | null;
  /** The git remote that has the branch; null if this machine works alone. */
  remote: string | null;
  /** Where work that is not finished waits on the remote; null if it stays on this machine. */
  refs: string | null;
  update_checkout: boolean;
  /** Whether gates run on work that still waits for work before it. */
  speculate: boolean;
  /** Files that a command makes anew where they would conflict. */
  regenerate: readonly { files: readonly string[]; command: string }[];
};

/** Whom Ralph tells what needs a person: exactly one of `webhook`, `command` and `desktop`. */
export type NotifyTarget = {
  /** An address, or `${NAME}` for a variable that holds it. */
  webhook: string | null;
  shape: Shape;
  chat: string | null;
  command: readonly string[] | null;
  desktop: boolean;
  on: readonly NeedKind[];
  /** Hours of the day in which nothing is told. */
  quiet: string | null;
};

/** How the machines that share a database tell that they are alive, and what they keep for each other. */
type FleetConfig = {
  /** How long a run counts as alive after its last heartbeat. */
  lease_seconds: number;
  heartbeat_seconds: number;
  /** How long the database keeps what sessions printed, after they ended. */
  keep_days: number;
  /** How often the unfinished work of a session is pushed, where machines land on a remote. */
  wip_minutes: number;
};

/** Where issues come from, and where pull requests go. */
type GithubConfig = {
  /** The address of its API. */
  api: string;
  /** OWNER/REPO; null for what the address of the git remote names. */
  repository: string | null;
  /** Whether the issues that tasks came from are told what becomes of them, and closed. */
  sync: boolean;
};

export const SANDBOX_LEVELS = ['off', 'bash', 'process', 'command'] as const;
export type SandboxLevel = (typeof SANDBOX_LEVELS)[number];

/** What agents, gates, setup and hooks are kept from. */
export type SandboxConfig = {
  /** Null for the strongest that this machine has. */
  level: SandboxLevel | null;
  /** Hosts that may be reached, such as `example.com`, `*.example.com` or `localhost:5432`. */
  network: readonly string[];
  /** More paths that may be read, or read and written. */
  read: readonly string[];
  write: readonly string[];
  /** For `command`: a wrapper of one's own, to which Ralph appends the command line. */
  command: readonly string[];
};

export type Config = {
  agent: string;
  model: string;
  /** Null for the default of the agent. */
  effort: Effort | null;
  ladder: readonly string[];
  /** What a task does whose agent has reached a limit: wait for it, or go on with the ladder's next agent. */
  when_limited: 'wait' | 'climb';
  max_attempts: number;
  /** Sessions at the same time. */
  jobs: number;
  /** What this machine offers to tasks that need it. */
  labels: readonly string[];
  /** Whether sessions work in the checkout itself, one at a time. */
  in_place: boolean;
  slots: SlotsConfig;
  land: LandConfig;
  fleet: FleetConfig;
  commit: 'task' | 'feature' | 'agent' | 'never';
  /** Whether the repository's own hooks judge a commit that Ralph makes. */
  commit_hooks: 'run' | 'skip';
  /** The subject of a commit, with placeholders. */
  commit_message: string;
  /** A feature is done only after a task of its own has checked it as a whole. */
  verify_feature: boolean;
  specs: readonly string[];
  gates: readonly GateConfig[];
  /** Names and patterns of variables that agents and gates get in addition to the default ones. */
  env: readonly string[];
  /** Patterns of files that Ralph commits even if they seem to hold a secret. */
  secrets_allowed: readonly string[];
  limits: {
    session_seconds: number;
    idle_seconds: number;
    max_turns: number;
    session_budget_usd: number;
    run_budget_usd: number;
    stagnation: number;
    stuck: number;
    /** How often a step may fail, with nothing new in between, before the agent is told; twice as often ends the session. */
    repeats: number;
    /** How long a run waits for an API that fails or cannot be reached. */
    outage_minutes: number;
    /** How long a run waits for an overloaded model or a limit that ends soon. */
    brief_minutes: number;
  };
  knowledge: {
    delivery: 'auto' | 'inject' | 'resources';
    budget_tokens: number;
    top_k: number;
    ollama_url: string;
    embedding_model: string;
    /** Patterns of files that never go into a prompt, in addition to Ralph's own list. */
    secrets: readonly string[];
    /** Whether files that sessions touch often become context files by themselves. */
    auto_context: boolean;
  };
  review: { model: string; when: 'never' | 'high' | 'always' };
  permissions: string;
  sandbox: SandboxConfig;
  mirror: string | null;
  /** Where each finished feature gets an entry; null for nowhere. */
  progress_file: string | null;
  github: GithubConfig;
  notify: readonly NotifyTarget[];
  agents: Readonly<Record<string, AgentConfig>>;
  /** Settings of the agents that Ralph knows, in the words of each. */
  agent_settings: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

export const RECIPE_NAMES = [
  'task_execution',
  'braindump',
  'yap',
  'ramble',
  'discuss',
  'opus_review',
  'enrichment',
  'plan',
] as const;

/** `.ralph/recipes/NAME.yaml`: reorders, removes or replaces the sections of a recipe. */
export type RecipeOverride = {
  sections: readonly string[] | null;
  off: readonly string[];
  text: Readonly<Record<string, string>>;
};
