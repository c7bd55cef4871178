import { Refusal } from '../domain/refusal.ts';
import type { CommandContext } from './world.ts';

/** An agent at work has its verbs. By the command line it could decide over its own work: skip what blocks it, answer itself. */
export function requirePerson({ env }: Pick<CommandContext, 'env'>, does: string): void {
  if (env['RALPH_SESSION_ID']) throw new Refusal(`This is a session of an agent, and only a person ${does}.`);
}
