// Maps commands to commander. No other file does.
import { resolve } from 'node:path';
import { Command as Commander, Option } from 'commander';
import { withAddress } from '../app/database-address.ts';
import type { Output, World } from '../app/world.ts';
import { maskSecrets, maskValue } from '../domain/secrets/mask-secrets.ts';
import { visible, visibleJson } from '../domain/text/text.ts';
import type { Command } from './command.ts';

export type Print = { out: (text: string) => void; err: (text: string) => void };

/** `onFinished` gets the command's exit code. */
export function buildProgram(
  commands: readonly Command[],
  world: World,
  print: Print,
  onFinished: (exitCode: number) => void,
): Commander {
  const program = new Commander('ralph')
    .description('Finishes a backlog: one task, one fresh agent, and gates that prove every done.')
    .version(versionText(world), '-v, --version')
    .exitOverride()
    // Without the arguments: they would leave too little room for the summaries.
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({
      writeOut: print.out,
      writeErr: print.err,
      outputError: (text, write) => write(usageError(text, 'ralph')),
    });
  for (const command of commands)
    program.addCommand(
      toCommander(command, world, print, onFinished)
        .copyInheritedSettings(program)
        .configureOutput({
          outputError: (text, write) => write(usageError(text, `ralph ${command.name}`)),
        }),
    );
  return program;
}

const versionText = ({ version, commit }: World): string =>
  commit === null ? version : `${version} (commit ${commit})`;

function toCommander(
  command: Command,
  world: World,
  print: Print,
  onFinished: (exitCode: number) => void,
): Commander {
  const { name, summary, group, args, options, examples } = command;
  const commander = new Commander(name)
    .description(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`)
    .summary(summary)
    .helpGroup(`${group}:`);
  for (const argument of args) commander.addArgument(argument);
  for (const option of [...options, ...commonOptions()]) commander.addOption(option);
  return commander
    .addHelpText('after', `\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}`)
    .action(async (...values: unknown[]) => {
      const {
        project,
        json: asJson = false,
        database,
        ...chosen
      }: { project: string; json?: boolean; database?: string } = commander.opts();
      const named = { ...world, project: resolve(world.cwd, project), asJson };
      const findsIt = command.findsDatabase !== false;
      const context = findsIt ? await withAddress(named, database) : named;
      const output = await command.run(
        context,
        values.slice(0, args.length),
        findsIt ? chosen : { ...chosen, database },
      );
      show(output, asJson, context.env, print);
      onFinished(output.exitCode ?? 0);
    });

  function commonOptions(): Option[] {
    return [
      new Option('--project <dir>', 'folder of the project').default(
        world.env['RALPH_PROJECT'] || world.cwd,
        'RALPH_PROJECT, or the current one',
      ),
      new Option('--database <address>', 'the queue on PostgreSQL, without a password'),
      new Option('--json', 'print JSON, for scripts'),
    ];
  }
}

function show(
  { json, text, isLine = false }: Output,
  asJson: boolean,
  env: World['env'],
  print: Print,
): void {
  const mask = maskSecrets(env);
  const shown = asJson ? visibleJson(maskValue(json, mask), isLine ? 0 : 2) : mask(text);
  if (shown !== '') print.out(`${shown}\n`);
}

/** How commander words each error. A parser's own hint follows its words. */
const WRONG_ARGUMENT = /^command-argument value '(.*)' is invalid for argument '([^']+)'\. (.)/;
const WRONG_OPTION = /^option '(?:-\w, )?(--[\w-]+)[^']*' argument '(.*)' is invalid\. (.)/;
const UNKNOWN = /^unknown (command|option) '(.*)'(?: \(Did you mean (?:one of )?(.*)\?\))?$/;
const MISSING_ARGUMENT = /^missing required argument '(.*)'$/;
const MISSING_VALUE = /^option '(?:-\w, )?(--[\w-]+)[^']*' argument missing$/;
const TOO_MANY = /^too many arguments for .*\. Expected (\d+) arguments? but got (\d+)\.$/;

const refusal = (value: string, name: string, hint: string): string =>
  `"${value}" cannot be the value of ${name}; ${hint.toLowerCase()}`;

/** Commander's error as one line in Ralph's form, which says what to do. */
function usageError(text: string, command: string): string {
  const help = `${command} --help`;
  const sentence = text
    .replace(/^error: /, '')
    .trim()
    .replace(/\n+/g, ' ')
    .replace(WRONG_ARGUMENT, (_, value: string, name: string, hint: string) => refusal(value, name, hint))
    .replace(WRONG_OPTION, (_, name: string, value: string, hint: string) => refusal(value, name, hint))
    .replace(UNKNOWN, (_, kind: string, word: string, near?: string) => {
      const hint = near === undefined ? `${help} lists all ${kind}s.` : `did you mean ${near}?`;
      return `There is no ${kind} "${word}"; ${hint}`;
    })
    .replace(MISSING_ARGUMENT, (_, name: string) => `The argument ${name} is missing; see ${help}.`)
    .replace(MISSING_VALUE, (_, name: string) => `The option ${name} needs a value; see ${help}.`)
    .replace(
      TOO_MANY,
      (_, most: string, count: string) => `${command} takes ${most} arguments, not ${count}; see ${help}.`,
    );
  return `ralph: ${visible(sentence)}\n`;
}
