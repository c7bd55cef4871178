// What Ralph shows to one client, and where its parts come from when they are first asked for.
import type { RecipeName } from '../domain/context.ts';
import type { ResourceContext } from '../resources/resource.ts';
import type { ClientState } from '../tools/client-state.ts';
import type { ToolEffects } from '../tools/tool.ts';

/** The open project. */
export type Backend = ResourceContext & {
  effects: ToolEffects;
  /** The prompt that a session was given, word for word. */
  storedPrompt(session_id: string, recipe: RecipeName): Promise<string | null>;
  /** Brings changed definition files in. */
  sync(): Promise<void>;
  /** Something may have changed: files that follow the queue are brought up to date. */
  afterChange(): Promise<void>;
};

export type Binding = {
  version: string;
  /** Null for an interactive client, which sees all of Ralph. */
  recipe: RecipeName | null;
  /** The session it was started for. */
  session_id: string | null;
  /** Opens the project at the first call that needs it, and tries again after a failure: a client is greeted in any case. */
  backend(): Promise<Backend>;
  /** The client has been told which tools there are. */
  onToolsListed(): void;
  /** What may not leave the machine is taken out of an error. */
  mask(text: string): string;
  /** For the person who reads the log, never for the client. */
  report(error: unknown): void;
};

export type Client = { binding: Binding; state: ClientState };
