// What Ralph shows to one client, and how the server opens the project on first use.
import type { RecipeName } from '../domain/context.ts';
import type { ResourceContext } from '../resources/resource.ts';
import type { ClientState } from '../tools/client-state.ts';
import type { ToolEffects } from '../tools/tool.ts';

/** The open project. */
export type Backend = ResourceContext & {
  effects: ToolEffects;
  /** The prompt that the supervisor gave the session, word for word. */
  storedPrompt(session_id: string, recipe: RecipeName): Promise<string | null>;
  /** Applies changed definition files. */
  sync(): Promise<void>;
  /** Called after a call that may have changed the queue: updates the files that mirror it. */
  afterChange(): Promise<void>;
};

export type Binding = {
  version: string;
  /** Null for an interactive client, which sees all interactive tools. */
  recipe: RecipeName | null;
  /** The session it was started for. */
  session_id: string | null;
  /** Opens the project on first use, and tries again after a failure: a client can always connect. */
  backend(): Promise<Backend>;
  /** Called when the client has received the list of tools. */
  onToolsListed(): void;
  /** Removes secrets from an error message. */
  mask(text: string): string;
  /** Writes to the log for the person, never to the client. */
  report(error: unknown): void;
};

export type Client = { binding: Binding; state: ClientState };
