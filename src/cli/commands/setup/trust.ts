import { Option } from 'commander';
import { requirePerson } from '../../../app/definitions/consent.ts';
import { readTrust, recordTrust } from '../../../app/definitions/trust.ts';
import { type Project, withProject } from '../../../app/open-project.ts';
import type { CommandContext, Output } from '../../../app/world.ts';
import { Refusal } from '../../../domain/refusal.ts';
import { plural, visible } from '../../../domain/text/text.ts';
import { trustValue } from '../../../host/trust.ts';
import { defineCommand } from '../../command.ts';

export const trust = defineCommand<[], { yes?: boolean; print?: boolean }>({
  name: 'trust',
  summary: "allow the commands of this project's configuration to run",
  group: 'Set up',
  options: [
    new Option('--yes', 'do not ask'),
    new Option(
      '--print',
      'change nothing; print the commands, and the value of RALPH_TRUST that allows them elsewhere',
    ),
  ],
  examples: ['ralph trust', 'ralph trust --yes', 'ralph trust --print'],
  run: (context, _, { yes = false, print = false }) =>
    withProject(context, async (project) => {
      if (print) return printValue(context, project);
      await requirePerson(context, project, 'decides what may run');
      const { lines, trusted } = await readTrust(context, project);
      const shown = lines.map((line) => `  ${visible(line)}`).join('\n');
      if (lines.length === 0) {
        if (!trusted) await recordTrust(context, project, lines);
        return { json: { trusted: true, commands: [] }, text: 'There is no command to trust.' };
      }
      if (trusted) return { json: { trusted, commands: lines }, text: `Trusted already:\n${shown}` };
      if (!yes) await requireConsent(context, shown);
      const { isBesideRun } = await recordTrust(context, project, lines);
      const from = isBesideRun ? ', from the next run on' : '';
      const text = `Trusted ${plural(lines.length, 'command')}${from}:\n${shown}`;
      return { json: { trusted: true, commands: lines }, text };
    }),
});

/** For an unattended machine: the person reads the commands here, and gives that machine the value. */
async function printValue(context: CommandContext, project: Project): Promise<Output> {
  const { lines, trusted } = await readTrust(context, project);
  const value = trustValue(lines);
  const text = [...lines.map((line) => `  ${visible(line)}`), `RALPH_TRUST=${value}`].join('\n');
  return { json: { trusted, commands: lines, value }, text };
}

/** Asks on the terminal, so neither a script nor an agent in a pipe can consent. */
async function requireConsent({ terminal }: CommandContext, shown: string): Promise<void> {
  const { ask } = terminal;
  if (ask === null) {
    throw new Refusal(
      'There is no terminal to ask on; read .ralph/config.yaml, .ralph/disciplines.yaml and .claude/settings.json, then type: ralph trust --yes',
    );
  }
  const answer = await ask(`This project's files want to run:\n${shown}\nAllow it? [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new Refusal('Nothing was allowed.');
}
