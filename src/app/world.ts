import type { Readable, Writable } from 'node:stream';
import type { StopSignals } from '../supervisor/input.ts';

export type Size = { columns: number; rows: number };

export type Screen = {
  write(text: string): void;
  size(): Size;
  /** Returns a function that stops listening. */
  onResize(listener: () => void): () => void;
};

/** The process and its terminal. Only main.ts makes one. */
export type World = {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  now: () => number;
  version: string;
  /** The commit that it was built from; null if there was no repository. */
  commit: string | null;
  /** How this command was started, so that others can start it. */
  program: { node: string; script: string };
  terminal: Terminal;
  /** Whether a terminal belongs to this process, even where its streams are pipes. */
  hasTerminal(): boolean;
  pipes: Pipes;
};

/** Standard streams and signals, for commands that need more than to return a text. */
export type Pipes = {
  readonly stdin: Readable & { isTTY?: boolean };
  /** From here on only the caller writes to standard output; other prints go to standard error. */
  takeStdout(): Writable;
  /** To standard error, for the person. */
  log(text: string): void;
  /** To standard output, while the command still runs. */
  print(text: string): void;
  /** Standard output as a screen on which lines can be redrawn; null for a pipe or a dumb terminal. */
  screen: Screen | null;
  /** The first Ctrl-C stops after the current session, the second stops that session. */
  interrupts(): StopSignals;
  exit(code: number): never;
};

export type Terminal = {
  /** Width of a line; Infinity in a pipe, where nothing is cut. */
  columns: number;
  color: boolean;
  /** Null without a terminal. */
  ask: ((question: string) => Promise<string>) | null;
};

/** The result of a command, for scripts and for people. `isLine`: print the JSON on one line, as the last of several. */
export type Output = { json: unknown; text: string; exitCode?: number; isLine?: boolean };

/** What every command gets besides its own arguments. */
export type CommandContext = World & { project: string; asJson: boolean };

/** The part of it that opening a project needs. */
export type ProjectContext = Pick<CommandContext, 'project' | 'env' | 'now' | 'program'>;
