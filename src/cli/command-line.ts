// Runs one command line and returns its exit code.
import { resolve } from 'node:path';
import { CommanderError } from 'commander';
import type { World } from '../app/world.ts';
import { visible } from '../domain/text/text.ts';
import { Misuse } from './command.ts';
import { takeProject } from './command-first.ts';
import { allCommands, commandsFor } from './index.ts';
import { buildProgram, type Print } from './program.ts';

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
    const words = await helpLast(argv);
    await buildProgram(await commandsFor(words[2]), world, print, onFinished).parseAsync(words);
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

/** `help NAME` as `NAME --help`. Of an unknown command only the name stays, so that the error names it. */
async function helpLast(argv: readonly string[]): Promise<readonly string[]> {
  const [node = '', ralph = '', word, name = '-'] = argv;
  if (word !== 'help' || name.startsWith('-')) return argv;
  return (await commandsFor(name)).length === 1 ? [node, ralph, name, '--help'] : [node, ralph, name];
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

/** Printed by `ralph` alone: what a newcomer needs, in the order they need it. */
const SHORT_HELP = `Ralph finishes a backlog: one fresh agent a task, gates that prove each done.

  ralph init               set Ralph up in this repository
  ralph add Fix the login  add a task; ralph plan makes tasks of specifications
  ralph run                work on the queue until nothing is ready
  ralph status             see the state of the queue, and what needs you
  ralph list               list the tasks
  ralph show 7             see everything about a task
  ralph why 7              see why a task waits
  ralph log                see what agents did
  ralph answer 2           answer an agent's question
  ralph retry 3            queue a failed task again
  ralph ui                 see all of this in the browser
  ralph doctor             check that everything Ralph needs is in order

ralph --help lists every command, ralph COMMAND --help explains one.
`;
