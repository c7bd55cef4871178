import type { Readable, Writable } from 'node:stream';
import type { StopSignals } from '../supervisor/input.ts';

export type Size = { columns: number; rows: number };

export type Screen = {
  write(text: string): void;
  size(): Size;
  /** Gives back how to stop listening. */
  onResize(listener: () => void): () => void;
};

/** The person's side: main.ts is the only file that looks at the process to make one. */
export type World = {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  now: () => number;
  version: string;
  /** How this command was started, for others to start it. */
  program: { node: string; script: string };
  terminal: Terminal;
  pipes: Pipes;
};

/** For a command that another program talks to. */
export type Pipes = {
  readonly stdin: Readable & { isTTY?: boolean };
  /** From here on nothing else can be printed: whoever tries writes to standard error. */
  takeStdout(): Writable;
  /** To standard error, for the person who looks there. */
  log(text: string): void;
  /** To standard output, while the command still runs. */
  print(text: string): void;
  /** Standard output as a place where lines can be drawn over; null where it is a pipe or a dumb terminal. */
  screen: Screen | null;
  /** The first Ctrl-C asks to stop after what is going on, the second to stop it. */
  interrupts(): StopSignals;
  exit(code: number): never;
};

export type Terminal = {
  /** Columns that a line may take; Infinity in a pipe, where nothing is cut. */
  columns: number;
  color: boolean;
  /** Null where nobody is there to answer. */
  ask: ((question: string) => Promise<string>) | null;
};

/** What a command found or did, for scripts and for people. `isLine`: the last of several values, one a line. */
export type Output = { json: unknown; text: string; exitCode?: number; isLine?: boolean };

/** What every command may be told besides its own arguments. */
export type CommandContext = World & { project: string; asJson: boolean };

/** As much of it as opening a project takes. */
export type ProjectContext = Pick<CommandContext, 'project' | 'env' | 'now'>;
