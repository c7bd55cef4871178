import { type Command, GROUPS } from '../../src/cli/command.ts';
import { allCommands } from '../../src/cli/index.ts';
import { NOTE } from './note.ts';

export async function cliReference(): Promise<string> {
  const all = await allCommands();
  const groups = GROUPS.map((group) => {
    const commands = all.filter((command) => command.group === group);
    return `## ${group}\n\n${commands.map(commandSection).join('\n\n')}`;
  });
  const everywhere = `Every command takes \`--json\` (prints JSON, for scripts), \`--project DIR\` (the folder of the project; by default the current folder) and \`--help\`. The first two may also stand before the command.`;
  const codes = `| exit code | means |\n|---|---|\n| 0 | success |\n| 1 | failure; the message on standard error says why and what to do, and nothing was changed |\n| 2 | the command line was not understood |\n| 10 | the work waits for a person |\n| 11 | the run makes no more progress |\n| 12 | the budget is spent, or a usage limit or an outage stopped the agent |\n| 13 | the agent cannot be used |\n| 130 | you stopped it |\n\nCommands that work with an agent use 10 to 13 and 130.`;
  return `${NOTE}\n\n# The ralph command\n\n${everywhere}\n\n${codes}\n\n${groups.join('\n\n')}\n`;
}

function commandSection({ name, summary, args, options, examples }: Command): string {
  const usage = [
    'ralph',
    name,
    ...args.map((one) => placeholder(one.name(), one.required, one.variadic)),
  ].join(' ');
  const rows = [
    ...args.map((one) => [
      placeholder(one.name(), one.required, one.variadic),
      one.description + choices(one.argChoices),
    ]),
    ...options.map((one) => [one.flags, one.description + choices(one.argChoices)]),
  ];
  const table =
    rows.length === 0
      ? ''
      : `\n\n| | |\n|---|---|\n${rows.map(([what, means]) => `| \`${what}\` | ${means} |`).join('\n')}`;
  return `### \`${usage}\`\n\n${summary[0]?.toUpperCase()}${summary.slice(1)}.${table}\n\n\`\`\`sh\n${examples.join('\n')}\n\`\`\``;
}

function placeholder(name: string, required: boolean, variadic: boolean): string {
  const inner = variadic ? `${name}...` : name;
  return required ? `<${inner}>` : `[${inner}]`;
}

function choices(values: readonly string[] | undefined): string {
  return values === undefined ? '' : ` (${values.join(', ')})`;
}
