// Runs one command line and returns its exit code.
import { resolve } from 'node:path';
import { CommanderError } from 'commander';
import type { World } from '../app/world.ts';
import { visible } from '../domain/text/text.ts';
import { Misuse } from './command.ts';
import { takeProject } from './command-first.ts';
import { allCommands, commandsFor } from './index.ts';
import { buildProgram, type Print } from './program.ts';
import { SHORT_HELP } from './short-help.ts';

export async function runCommand(argv: readonly string[], world: World, print: Print): Promise<number> {
  if (argv[2] === 'complete') {
    print.out(`${await complete(world, argv.slice(argv[3] === '--' ? 4 : 3))}\n`);
    return 0;
  }
  if (argv.length < 3) {
    print.out(SHORT_HELP);
    return 0;
  }
  let exitCode = 0;
  const onFinished = (code: number): void => {
    exitCode = code;
  };
  try {
    const commands = await commandsFor(argv[2]);
    await buildProgram(commands, world, print, onFinished).parseAsync(argv);
  } catch (error) {
    if (error instanceof Misuse) {
      print.err(`ralph: ${visible(error.message)}\n`);
      return 2;
    }
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 2;
  }
  return exitCode;
}

/** The script of `ralph completion` calls this; people do not. */
async function complete(world: World, words: readonly string[]): Promise<string> {
  const { suggest } = await import('./commands/setup/completion.ts');
  // The last word is the one to complete. Options of every command say nothing about it.
  const { project = world.env['RALPH_PROJECT'] || '.', rest } = takeProject(words.slice(0, -1));
  const context = { ...world, project: resolve(world.cwd, project), asJson: false };
  return suggest(
    await allCommands(),
    [...rest.filter((word) => word !== '--json'), ...words.slice(-1)],
    context,
  );
}
