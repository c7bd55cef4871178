// An agent is a program that Ralph launches with a prompt and that reports on a stream. agents/ has one adapter a file.

import type { RecipeName } from '../../domain/context.ts';
import type { AgentFault } from '../../domain/sessions/agent-failure.ts';
import type { SessionLimit, Usage } from '../../domain/sessions/session.ts';
import type { Effort } from '../../domain/tasks/task.ts';
import type { Step } from '../../domain/transcript/repeats.ts';
import type { BashRules } from '../../host/sandbox/bash-rules.ts';
import type { SessionAccess } from '../session-server.ts';

/** Everything that one agent process is started with, once it can reach Ralph. */
export type Launchable = LaunchSpec & { access: SessionAccess };

/** What one agent process is to be started with. */
export type LaunchSpec = {
  session_id: string;
  /** The agent's own name for this process: a review has a different one from the session it reviews. */
  client_id: string;
  recipe: RecipeName;
  /** The argument of its prompt: the number of a task, the numbers of several drafts, or nothing. */
  argument: string;
  /** The folder in which it works. */
  root: string;
  /** The folder of the session's own files in the state, which the agent does not get to know. */
  folder: string;
  model: string;
  /** Null for the agent's default. */
  effort: Effort | null;
  max_turns: number;
  budget_usd: number;
  permissions: string;
  /** The agent's own tools; empty for a lean default. */
  tools: readonly string[];
  system: string;
  prompt: string;
  /** The learnings in the prompt. */
  learnings: readonly number[];
  /** Of the recipe; null if none are compared. */
  variant: string | null;
  /** Extra variables for its process. */
  env: Readonly<Record<string, string>>;
  /** Names and patterns of the variables that its process gets besides the usual ones. */
  envNames: readonly string[];
  /** Besides Ralph's own. */
  mcpServers: Readonly<Record<string, McpEntry>>;
  /** For a client with a sandbox of its own. */
  bash?: BashRules | null;
};

/** Ralph's own server comes last: no other server may take its name. */
export const mcpConfig = ({ mcpServers, access }: Launchable): string =>
  JSON.stringify({ mcpServers: { ...mcpServers, ralph: access.server } });

export type McpEntry = {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  alwaysLoad?: boolean;
};

/** `files`: Ralph writes them to the folder of `access` before the agent starts, and removes that when it has ended. */
export type Launch = {
  command: readonly string[];
  env: Readonly<Record<string, string>>;
  stdin: string;
  files: Readonly<Record<string, string>>;
};

/** What Ralph reads out of a line of the stream. */
export type Observation =
  /** `isPlan`: the login is a subscription, whose limits hold for hours, and is not billed by request. */
  | { kind: 'connected'; isPlan: boolean }
  /** Nothing after it can be of use. */
  | { kind: 'fault'; fault: AgentFault }
  /** The client met this fault and tries again by itself. */
  | { kind: 'retry'; fault: AgentFault }
  /** The client has given up on a request; its result tells whether that was the end. */
  | { kind: 'failure'; error: string; detail: string | null }
  /** A limit whose end the API has announced. */
  | { kind: 'limited'; until: number }
  /** A command or an edit, if the stream tells how it ended. */
  | { kind: 'step_begun'; id: string; step: Step }
  | { kind: 'step_ended'; id: string; hasFailed: boolean }
  /** One answer of the model may come in several parts; all have the same `answer`. */
  | {
      kind: 'turn';
      action: string | null;
      /** The text of the turn. */
      words?: string | null;
      answer: string | null;
      /** Files that it writes with tools that name them. */
      files?: readonly string[];
    }
  | {
      kind: 'result';
      usage: Usage;
      limit: SessionLimit | null;
      isError: boolean;
      /** The HTTP status of the API, if the result is an error. */
      status: number | null;
      text: string;
    };

export type Agent = {
  /** The name or path of its program: Ralph looks for it before it does anything else. */
  executable: string;
  /** Whether it is useless without Ralph's MCP server: a session without it would still cost money. */
  needsServer: boolean;
  /** Whether it reports by tags in its text, without MCP. */
  reportsBySigils?: boolean;
  launch(spec: Launchable): Launch;
  observe(line: string): Observation[];
};
