import type { FoundEntry } from '../context/search.ts';
import type { Config } from '../domain/config.ts';
import type { DefinitionProposal } from '../domain/definition.ts';
import type { ProcessIdentity } from '../domain/sessions/session.ts';
import type { Artifacts } from '../host/artifacts/artifacts.ts';
import type { Streams } from '../project/transcript/streams.ts';
import type { Queue } from '../queue/queue.ts';
import type { Prompt } from '../recipes/render.ts';

/** `refusal`: a definition file is faulty, so none was applied. `note`: a warning; the person can go on. */
type SyncResult = { refusal: string | null; note: string | null };

/** What the pages need of the project and the machine. The command that serves them passes it in. */
export type UiBackend = {
  queue: Queue;
  root: string;
  stateDir: string;
  /** Pages only read. */
  isReadOnly: boolean;
  config(): Promise<Config>;
  isAlive(process: ProcessIdentity): boolean;
  /** Applies changed definition files; in read-only mode it only checks them. */
  sync(): Promise<SyncResult>;
  /** Called after a change: updates the mirror of the queue. */
  updateMirror(): Promise<void>;
  /** Changes below .ralph that wait for the person. */
  definitions: {
    pending(): Promise<readonly DefinitionProposal[]>;
    approve(proposal: DefinitionProposal): Promise<void>;
    reject(proposal: DefinitionProposal): Promise<void>;
  };
  /** The prompt that an agent would get now, as `ralph prompt` shows it. */
  prompt(task_id: number): Promise<Prompt>;
  /** The prompt that the agent of a session got; null where it is gone. */
  keptPrompt(session_id: string): Promise<string | null>;
  /** As `ralph report --html` writes it. */
  reportHtml(run_id: number): Promise<string>;
  /** The files of sessions, of whichever machine. */
  artifacts: Artifacts;
  /** The output of sessions. */
  streams: Streams;
  search(query: { text: string; feature: string | null; limit: number }): Promise<FoundEntry[]>;
  /** Prints an unexpected error to the terminal of `ralph ui`. */
  report(error: unknown): void;
};
