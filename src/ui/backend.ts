import type { FoundEntry } from '../context/search.ts';
import type { Config } from '../domain/config.ts';
import type { ProcessIdentity } from '../domain/sessions/session.ts';
import type { Streams } from '../project/transcript/streams.ts';
import type { Queue } from '../queue/queue.ts';
import type { Prompt } from '../recipes/render.ts';

/** `refusal`: the files are wrong, and none of it came in. `note`: what a person should know, who can go on. */
export type SyncResult = { refusal: string | null; note: string | null };

/** What the pages need of project and machine, handed in by the command that serves them. */
export type UiBackend = {
  queue: Queue;
  root: string;
  stateDir: string;
  /** Nothing is changed through these pages. */
  isReadOnly: boolean;
  config(): Promise<Config>;
  isAlive(process: ProcessIdentity): boolean;
  /** Brings in what files say since; where nothing is changed through these pages, only looks whether they are right. */
  sync(): Promise<SyncResult>;
  /** After a change: whoever mirrors the queue sees it. */
  settled(): Promise<void>;
  /** The prompt that an agent would get, as `ralph prompt` shows it. */
  prompt(task_id: number): Promise<Prompt>;
  /** The one that the agent of a session got; null where nobody has kept it. */
  keptPrompt(session_id: string): Promise<string | null>;
  /** `ralph report --html`. */
  reportHtml(run_id: number): Promise<string>;
  /** What sessions have printed. */
  streams: Streams;
  search(query: { text: string; feature: string | null; limit: number }): Promise<FoundEntry[]>;
  /** Tells of what should not happen, to whoever looks at the terminal. */
  report(error: unknown): void;
};
