import { Option } from 'commander';
import { visible } from '../domain/text.ts';
import { executableLines } from '../domain/trust.ts';
import { readConfig } from '../knowledge/read-config.ts';
import { listAllDisciplines } from '../queue/list.ts';
import { type CommandContext, defineCommand } from './command.ts';
import { type Project, withProject } from './project.ts';
import { stateHome } from './state-home.ts';
import { plural } from './style.ts';

export const trust = defineCommand<[], { yes?: boolean }>({
  name: 'trust',
  summary: "allow the commands of this project's configuration to run",
  group: 'Set up',
  options: [new Option('--yes', 'do not ask')],
  examples: ['ralph trust'],
  run: (context, _, { yes = false }) =>
    withProject(context, async (project) => {
      const { lines, trusted } = await trustOf(context, project);
      const shown = lines.map((line) => `  ${visible(line)}`).join('\n');
      if (trusted)
        return {
          json: { trusted, commands: lines },
          text: lines.length === 0 ? 'There is no command to trust.' : `Trusted already:\n${shown}`,
        };
      const { ask } = context.terminal;
      const question = `This project's files want to run:\n${shown}\nAllow it? [y/N] `;
      const agreed = yes || ask === null || /^y(es)?$/i.test((await ask(question)).trim());
      if (!agreed)
        return { json: { trusted: false, commands: lines }, text: 'Nothing was allowed.', exitCode: 1 };
      await recordTrust(context, project, lines);
      return {
        json: { trusted: true, commands: lines },
        text: `Trusted ${plural(lines.length, 'command')}:\n${shown}`,
      };
    }),
});

export async function trustOf(
  context: CommandContext,
  { root, queue }: Project,
): Promise<{ lines: string[]; trusted: boolean }> {
  const { isTrusted } = await import('../host/trust.ts');
  const lines = executableLines(await readConfig(root), await listAllDisciplines(queue));
  return { lines, trusted: await isTrusted(stateHome(context.env), root, lines) };
}

export async function recordTrust(
  context: CommandContext,
  { root }: Project,
  lines: readonly string[],
): Promise<void> {
  const { trust: write } = await import('../host/trust.ts');
  await write(stateHome(context.env), root, lines, context.now());
}
