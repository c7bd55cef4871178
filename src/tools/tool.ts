// A tool is a value; server/ alone knows how it becomes one of MCP.
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
  /** Arguments that are accepted: shown in the reference, and to whoever sent others. */
  example: object;
  hints: Hints;
  /** Arguments that are taken but not described to an interactive client, which pays for every word: sessions that plan use them. */
  rare?: readonly string[];
  /** For an answer that is longer than what clients show of one by themselves. */
  maxResultCharacters?: number;
  run(context: ToolContext, input: object): Promise<Answer>;
};

export type Hints = { readOnly: boolean; destructive: boolean; idempotent: boolean; openWorld: boolean };

/** Nothing of Ralph is open world. Destructive is, by the protocol, whatever is not only added. */
export const READS: Hints = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
export const ADDS: Hints = { readOnly: false, destructive: false, idempotent: false, openWorld: false };
/** The same call twice leaves what one call leaves. */
export const SETS: Hints = { readOnly: false, destructive: false, idempotent: true, openWorld: false };
/** Takes the place of what was there. */
export const REPLACES: Hints = { readOnly: false, destructive: true, idempotent: true, openWorld: false };

/** What the tool says, or what it asks the person in front of the client before it says anything. */
export type Answer = { text: string } | { ask: Elicitation };

export type Elicitation = {
  message: string;
  options: readonly string[];
  preferred: string | null;
  /** Comes back with the answer. It has been in the client's hands, so it proves nothing. */
  state: string;
};

export type ToolContext = {
  readonly queue: Queue;
  readonly root: string;
  /** One id a call, where the client gives one: the same call sent again changes nothing. */
  readonly call_id: string | null;
  readonly client: ClientState;
  readonly person: Person;
  readonly effects: ToolEffects;
};

/** The person in front of the client. */
export type Person = {
  canAnswer: boolean;
  /** What they said to an elicitation; `text` is null where they would not answer. */
  reply: { state: string; text: string | null } | null;
};

/** What tools need of the machine and of the project's files, handed in. */
export type ToolEffects = Effects & {
  identity: ProcessIdentity;
  isAlive(identity: ProcessIdentity): boolean;
  trees: WorkTrees;
  newSessionId(): string;
  headCommit(): Promise<string | null>;
  limits(): Promise<{ max_attempts: number; stuck: number }>;
  /** Whether the files are as they were when the session's task began; false where nobody can tell. */
  looksUnchanged(session_id: string): Promise<boolean>;
  /** Refuses where a `done` could not be checked, before anything is said. */
  requireProvable(): Promise<void>;
  /** What a person should know of the gates that have run, each told once. */
  gateNotes?(): string[];
  writePrompt(recipe: RecipeName, input: GatherInput): Promise<Prompt>;
  /** Lines in the journal for what has ended. */
  writeJournal(): Promise<void>;
  /** Writes down what the session is given, and how the work tree looks before it begins. */
  begin(session_id: string, task_id: number, prompt: Prompt): Promise<void>;
  /** Saves what an unfinished session has left in the work tree: what changes from here on is not the task's. */
  keepWork(session_id: string, task_id: number): Promise<void>;
  /** Which files are never shown, by the project's own rules too. */
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
