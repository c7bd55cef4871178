import type { Readable, Writable } from 'node:stream';
import type { Argument, Option } from 'commander';
import { Refusal } from '../domain/refusal.ts';
import type { StopSignals } from '../supervisor/input.ts';
import type { Stop } from '../supervisor/stop.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { Screen } from './sticky-footer.ts';

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
  /** The loop, which stands outside of every folder: scripts/supervisor.ts. */
  supervise(supervisor: Supervisor): Promise<Stop>;
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

/** The command line was understood, and does not say enough: exit code 2. */
export class Misuse extends Refusal {}

/** What a command found or did, for scripts and for people. `isLine`: the last of several values, one a line. */
export type Output = { json: unknown; text: string; exitCode?: number; isLine?: boolean };

export const GROUPS = ['Work', 'Plan', 'Look', 'Decide', 'Move in and out', 'Set up'] as const;

/** A command is a value; program.ts alone knows how it reaches a command line. */
export type Command = {
  name: string;
  summary: string;
  group: (typeof GROUPS)[number];
  args: readonly Argument[];
  options: readonly Option[];
  examples: readonly string[];
  run(context: CommandContext, args: readonly unknown[], options: object): Promise<Output>;
};

/** What every command may be told besides its own arguments. */
export type CommandContext = World & { project: string; asJson: boolean };

/** As much of it as opening a project takes. */
export type ProjectContext = Pick<CommandContext, 'project' | 'env' | 'now'>;

type Definition<Args extends readonly unknown[], Options extends object> = Omit<
  Command,
  'run' | 'args' | 'options'
> & {
  args?: Command['args'];
  options?: Command['options'];
  run(context: CommandContext, args: Args, options: Options): Promise<Output>;
};

/** Args and Options are what this command's own argument and option parsers produce. */
export function defineCommand<Args extends readonly unknown[], Options extends object = object>(
  definition: Definition<Args, Options>,
): Command {
  const { args = [], options = [], run, ...rest } = definition;
  return {
    ...rest,
    args,
    options,
    run: (context, given, chosen) => run(context, given as Args, chosen as Options),
  };
}
