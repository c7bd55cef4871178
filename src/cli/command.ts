import type { Argument, Option } from 'commander';
import type { CommandContext, Output } from '../app/world.ts';
import { Refusal } from '../domain/refusal.ts';

/** The command line was parsed, but it lacks something or contradicts itself: exit code 2. */
export class Misuse extends Refusal {}

export const GROUPS = ['Work', 'Plan', 'Look', 'Decide', 'Move in and out', 'Set up'] as const;

/** A command is a plain value; only program.ts maps it to commander. */
export type Command = {
  name: string;
  summary: string;
  group: (typeof GROUPS)[number];
  args: readonly Argument[];
  options: readonly Option[];
  examples: readonly string[];
  /** False for a command that must work where the address of the queue is wrong. It gets the option `database` itself. */
  findsDatabase?: false;
  run(context: CommandContext, args: readonly unknown[], options: object): Promise<Output>;
};
type Definition<Args extends readonly unknown[], Options extends object> = Omit<
  Command,
  'run' | 'args' | 'options'
> & {
  args?: Command['args'];
  options?: Command['options'];
  run(context: CommandContext, args: Args, options: Options): Promise<Output>;
};

/** Args and Options are the types that this command's own parsers produce. */
export function defineCommand<Args extends readonly unknown[], Options extends object = object>(
  definition: Definition<Args, Options>,
): Command {
  const { args = [], options = [], run, ...rest } = definition;
  return {
    ...rest,
    args,
    options,
    run: (context, values, chosen) => run(context, values as Args, chosen as Options),
  };
}
