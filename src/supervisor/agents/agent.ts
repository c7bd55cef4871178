// An agent is a program that Ralph launches with a prompt and that reports on a stream. agents/ has one adapter a file.

import type { RecipeName } from '../../domain/context.ts';
import type { AgentFault } from '../../domain/sessions/agent-failure.ts';
import type { SessionLimit, Usage } from '../../domain/sessions/session.ts';
import type { Effort } from '../../domain/tasks/task.ts';
import type { BashRules } from '../../host/sandbox/bash-rules.ts';
import type { SessionAccess } from '../sessions/session-server.ts';
import type { Step } from './repeats.ts';

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
  /** Null for the agent's default. So is the effort. */
  model: string | null;
  effort: Effort | null;
  max_turns: number;
  budget_usd: number;
  permissions: string;
  /** Whether it commits its work itself, and so needs to know how. */
  isCommitter?: boolean;
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

/** Of the configuration, in the agent's own words. */
export type AgentSettings = Readonly<Record<string, unknown>>;

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
  /** A folder in that of `access` that the agent may write to, in place of the person's own. */
  ownFolder?: string;
  /** Variables that it gets under another name, if there is no login and the variable itself is not set. */
  keys?: Readonly<Record<string, string>>;
  /** The person's login, by its path in that folder. A login that the client renews goes back. */
  logins?: Readonly<Record<string, readonly string[]>>;
  /** The login stays where it is if one of these variables is set. */
  keysFirst?: readonly string[];
  /** Variables that it gets with a login. */
  loginVariables?: Readonly<Record<string, string>>;
};

/** What Ralph reads out of a line of the stream. */
export type Observation =
  /** `isPlan`: the login is a subscription, whose limits hold for hours, and is not billed by request. */
  | { kind: 'connected'; isPlan: boolean }
  /** The client's own name for the session, by which it can be resumed. */
  | { kind: 'identified'; id: string }
  /** What an answer cost, if the client tells it answer by answer. */
  | { kind: 'spent'; usage: Pick<Usage, 'input_tokens' | 'output_tokens' | 'cost_usd'> }
  /** Nothing after it can be of use. */
  | { kind: 'fault'; fault: AgentFault }
  /** The client met this fault and tries again by itself. `isSilent`: it would do so for ever, and tells it nowhere else. */
  | { kind: 'retry'; fault: AgentFault; detail?: string | null; isSilent?: boolean }
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
      /** Whether the words go on in the next turn of the same answer. */
      isPiece?: boolean;
      answer: string | null;
      /** Files that it writes with tools that name them. */
      files?: readonly string[];
    }
  | {
      kind: 'result';
      /** Null for what the client does not tell; then what Ralph has counted holds. */
      usage: { [Key in keyof Usage]: Usage[Key] | null };
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
  /** Whether it keeps to its limits of turns and cost by itself. Otherwise Ralph counts, as far as its stream tells. */
  keepsLimits?: boolean;
  /** Whether its stream tells what it costs. */
  tellsCost?: boolean;
  /** Names and patterns of variables that it gets besides those of every agent. */
  variables?: readonly string[];
  launch(spec: Launchable): Launch;
  /** Goes on with a session that has ended, to ask for what is missing. Absent if the agent cannot do that, or asks by itself. */
  resume?(spec: Launchable, id: string, prompt: string): Launch;
  observe(line: string): Observation[];
  /** For a client that tells of its failures on standard error alone. */
  observeError?(line: string): Observation[];
  /** What its end means, if its stream does not tell: only asked where it failed, or was ended for its silence. */
  explain?(end: { exit_code: number | null; errors: string }): AgentFault | null;
};

// What a client calls the verbs: prompts say `done`, whatever the client.

/** The sentence that a prompt begins with. */
const verbNames = (name: (verb: string) => string): string =>
  `In this program Ralph's MCP tools have longer names: \`done\` is \`${name('done')}\`, \`partial\` is \`${name('partial')}\`, \`stuck\` is \`${name('stuck')}\`, and so for all the others.`;

/** `resumed`: the client's name of the session that goes on; null for a new one. */
type StartClient = (spec: Launchable, prompt: string, resumed: string | null) => Launch;

/** How a client that has no other place for rules is started, and asked again: its prompt begins with its names of the verbs. */
export function launchWithNames(
  name: (verb: string) => string,
  start: StartClient,
): Required<Pick<Agent, 'launch' | 'resume'>> {
  const names = verbNames(name);
  return {
    launch: (spec) => start(spec, `${names}\n\n${spec.system}\n${spec.prompt}`, null),
    resume: (spec, id, prompt) => start(spec, `${names} ${prompt}`, id),
  };
}
