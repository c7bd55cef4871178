// A tool is a plain value; only server/ maps it to MCP.
import type * as z from 'zod';
import type { GatherInput } from '../context/gather.ts';
import type { RecipeName } from '../domain/context.ts';
import type { ProcessIdentity, WorkTrees } from '../domain/sessions/session.ts';
import type { Queue } from '../queue/queue.ts';
import type { Effects } from '../queue/sessions/finish.ts';
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

export type Hints = { readOnly: boolean; destructive: boolean; idempotent: boolean; openWorld: boolean };

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

/** What tools need from the machine and the project's files, injected. */
export type ToolEffects = Effects & {
  identity: ProcessIdentity;
  isAlive(identity: ProcessIdentity): boolean;
  trees: WorkTrees;
  newSessionId(): string;
  headCommit(): Promise<string | null>;
  limits(): Promise<{ max_attempts: number; stuck: number }>;
  /** True if no file has changed since the session began; false if that is unknown. */
  looksUnchanged(session_id: string): Promise<boolean>;
  /** Refuses if Ralph could not check a `done`, before it is recorded. */
  requireProvable(): Promise<void>;
  /** Notes for the person about the gates that have run, each returned once. */
  gateNotes?(): string[];
  writePrompt(recipe: RecipeName, input: GatherInput): Promise<Prompt>;
  /** Writes the journal lines of ended sessions. */
  writeJournal(): Promise<void>;
  /** Stores the session's prompt, and the state of the work tree before the session begins. */
  begin(session_id: string, task_id: number, prompt: Prompt): Promise<void>;
  /** Saves the work of an unfinished session: later changes in the work tree are not the task's. */
  keepWork(session_id: string, task_id: number): Promise<void>;
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
