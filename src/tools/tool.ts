// A tool is a plain value; only server/ maps it to MCP.
import type * as z from 'zod';
import type { GatherInput } from '../context/gather.ts';
import type { RecipeName } from '../domain/context.ts';
import type { ProcessIdentity } from '../domain/sessions/session.ts';
import type { Queue } from '../queue/queue.ts';
import type { Effects } from '../queue/sessions/finish.ts';
import type { Claim } from '../queue/tasks/claim.ts';
import type { Prompt } from '../recipes/render.ts';
import type { ClientState } from './client-state.ts';

export type Tool = {
  name: string;
  title: string;
  /** What it does, when to use it and when not, in words an agent acts on. */
  description: string;
  input: z.ZodObject;
  /** Valid arguments: shown in the reference, and in the refusal of invalid ones. */
  example: object;
  hints: Hints;
  /** Arguments that are accepted but not described to an interactive client, which pays for every word. Planning sessions use them. */
  rare?: readonly string[];
  /** For an answer that is longer than what clients show by default. */
  maxResultCharacters?: number;
  run(context: ToolContext, input: object): Promise<Answer>;
};

type Hints = { readOnly: boolean; destructive: boolean; idempotent: boolean; openWorld: boolean };

/** No tool of Ralph is open world. By the protocol, a tool is destructive unless it only adds. */
export const READS: Hints = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
export const ADDS: Hints = { readOnly: false, destructive: false, idempotent: false, openWorld: false };
/** The same call twice has the effect of one call. */
export const SETS: Hints = { readOnly: false, destructive: false, idempotent: true, openWorld: false };
/** The call replaces existing values. */
export const REPLACES: Hints = { readOnly: false, destructive: true, idempotent: true, openWorld: false };

/** The tool's answer, or a question to the person at the client that comes before the answer. */
export type Answer = { text: string } | { ask: Elicitation };

export type Elicitation = {
  message: string;
  options: readonly string[];
  preferred: string | null;
  /** The client sends it back with the reply, and may have changed it, so it proves nothing. */
  state: string;
};

export type ToolContext = {
  readonly queue: Queue;
  readonly root: string;
  /** Where the files are that the session works on: a slot, or the project itself. */
  readonly filesRoot: string;
  /** The call's id, if the client sends one: the same call sent again changes nothing. */
  readonly call_id: string | null;
  readonly client: ClientState;
  readonly person: Person;
  readonly effects: ToolEffects;
};

/** The person at the client. */
export type Person = {
  canAnswer: boolean;
  /** The reply to an elicitation; `text` is null if the person declined to answer. */
  reply: { state: string; text: string | null } | null;
};

/** Where the session of a client works: a slot, or the person's checkout. */
export type WorkPlace = {
  /** The commit that a session starts from; null without git. */
  base_commit: string | null;
  /** Prepares the files of a claimed task. `env`: variables for commands in a slot. */
  begin(claim: Claim): Promise<{ root: string; isSlot: boolean; env: Readonly<Record<string, string>> }>;
  /** Refuses if Ralph could not check a `done`, before it is recorded. */
  requireProvable(): Promise<void>;
  /** The agent has closed its task, and Ralph is about to finish the session. */
  afterWork(): Promise<void>;
  effects: Effects;
  /** Notes for the person about the finish, each returned once. */
  notes(): string[];
  /** The session is over, or no task was ready: others may use the place. */
  end(): Promise<void>;
};

type Limits = { max_attempts: number; stuck: number };

/** What tools need from the machine and the project's files, injected. */
export type ToolEffects = {
  identity: ProcessIdentity;
  isAlive(identity: ProcessIdentity): boolean;
  newSessionId(): string;
  limits(): Promise<Limits>;
  /** Settles the sessions of dead clients. */
  recover(input: { run_id: number; limits: Limits }): Promise<void>;
  /** `in_place`: in the person's checkout; otherwise where the configuration says. Refuses while another works there. */
  openPlace(input: { run_id: number; in_place: boolean }): Promise<WorkPlace>;
  /** True if no file has changed since the session began; false if that is unknown. */
  looksUnchanged(session_id: string): Promise<boolean>;
  /** Whether a session verifies a feature as a whole before it is done. */
  verifiesFeatures(): Promise<boolean>;
  writePrompt(recipe: RecipeName, input: GatherInput): Promise<Prompt>;
  /** Writes the journal lines of ended sessions. */
  writeJournal(): Promise<void>;
  /** Stores the prompt of a session, and which learnings it was given. */
  recordPrompt(session_id: string, prompt: Prompt): Promise<void>;
  /** Matches files that are never shown; includes the project's own patterns. */
  secrets(): Promise<(path: string) => boolean>;
};

type Definition<Input extends z.ZodObject> = Omit<Tool, 'input' | 'example' | 'run'> & {
  input: Input;
  example: z.input<Input>;
  run(context: ToolContext, input: z.output<Input>): Promise<Answer>;
};

export function defineTool<Input extends z.ZodObject>(definition: Definition<Input>): Tool {
  const { run, ...rest } = definition;
  return { ...rest, run: (context, input) => run(context, input as z.output<Input>) };
}
