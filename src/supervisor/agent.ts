// An agent is whatever can be launched with a prompt and reports on a stream. One adapter a file in agents/.

import type { RecipeName } from '../domain/context.ts';
import type { AgentFault } from '../domain/sessions/agent-failure.ts';
import type { SessionLimit, Usage } from '../domain/sessions/session.ts';
import type { Sigil } from './sigils.ts';

/** All that one session is given. */
export type LaunchSpec = {
  session_id: string;
  /** The agent's own name for this process: a review has another one than the session it looks at. */
  client_id: string;
  recipe: RecipeName;
  /** What its prompt is asked for with: the number of a task, of several drafts, or nothing. */
  argument: string;
  root: string;
  /** Where the session's own files lie. */
  folder: string;
  model: string;
  max_turns: number;
  budget_usd: number;
  permissions: string;
  /** The agent's own tools; empty for a lean default. */
  tools: readonly string[];
  system: string;
  prompt: string;
  /** The learnings in it. */
  learnings: readonly number[];
  /** What its hooks need to know besides the session. */
  env: Readonly<Record<string, string>>;
  /** Names and patterns of variables that its process gets besides the usual ones. */
  passed: readonly string[];
  mcpServers: Readonly<Record<string, McpEntry>>;
  /** How to run Ralph itself, for hooks. */
  ralph: readonly string[];
};

export type McpEntry = {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  alwaysLoad?: boolean;
};

/** The files of a session that may name secrets. */
export const LAUNCH_FILES = ['mcp.json', 'settings.json'] as const;

/** `files`: what must lie in the session's folder before it starts, and is removed when it has ended. */
export type Launch = {
  command: readonly string[];
  env: Readonly<Record<string, string>>;
  stdin: string;
  files: Readonly<Partial<Record<(typeof LAUNCH_FILES)[number], string>>>;
};

/** What a line of the stream says, as far as Ralph cares. */
export type Observation =
  /** `isPlan`: paid by a plan, whose limits hold for hours, and not by the request. */
  | { kind: 'connected'; isPlan: boolean }
  /** Nothing that comes after it could be of use. */
  | { kind: 'fault'; fault: AgentFault }
  /** The client met this and tries again by itself. */
  | { kind: 'retry'; fault: AgentFault }
  /** The client has given up on a request; its result tells whether that was the end. */
  | { kind: 'failure'; error: string; detail: string | null }
  /** A limit that has an end, by the word of whoever set it. */
  | { kind: 'limited'; until: number }
  | { kind: 'sigil'; sigil: Sigil }
  /** One answer of the model may come in several parts, all with its name. */
  | {
      kind: 'turn';
      action: string | null;
      /** What it said to whoever reads it. */
      words?: string | null;
      answer: string | null;
      /** What it writes by tools that name it. */
      files?: readonly string[];
      /** Whether it uses tools that may write without naming what. */
      unnamed_writes?: boolean;
    }
  | {
      kind: 'result';
      usage: Usage;
      limit: SessionLimit | null;
      /** Of the API, where the result is an error. */
      isError: boolean;
      status: number | null;
      text: string;
    };

export type Agent = {
  /** What is started, by name or path: looked for before anything else is done. */
  executable: string;
  /** Nothing comes of it without Ralph's server, and a session without costs all the same. */
  needsServer: boolean;
  /** Whether its stream names the files that its tools write. Any other agent may have written whatever changed. */
  namesWrites?: boolean;
  launch(plan: LaunchSpec): Launch;
  observe(line: string): Observation[];
};
