import type { Config } from '../domain/config.ts';
import { Refusal } from '../domain/refusal.ts';
import { executableLines, scriptLines } from '../domain/trust.ts';
import { claudeSettings } from '../knowledge/claude-settings.ts';
import { packagesOf } from '../knowledge/packages.ts';
import { readConfig } from '../knowledge/read-config.ts';
import { listAllDisciplines } from '../queue/list.ts';
import type { Trust } from '../supervisor/input.ts';
import type { ProjectContext } from './command.ts';
import type { Project } from './project.ts';
import { stateHome } from './state-home.ts';

/** `config`: the one that counts, where that is not the one in the file. */
export async function trustOf(
  context: ProjectContext,
  { root, queue }: Project,
  config?: Config,
): Promise<Trust> {
  const { isTrusted } = await import('../host/trust.ts');
  const rules = config ?? (await readConfig(root));
  const executable = executableLines(rules, await listAllDisciplines(queue), claudeSettings(root));
  const lines = [...executable, ...scriptLines(rules.gates, packagesOf(root, rules.gates))];
  return { lines, executable, trusted: await isTrusted(stateHome(context.env), root, lines) };
}

export async function recordTrust(
  context: ProjectContext,
  { root }: Project,
  lines: readonly string[],
): Promise<void> {
  const { trust: write } = await import('../host/trust.ts');
  await write(stateHome(context.env), root, lines, context.now());
}

/** Nothing of a project's files is executed before a person said so. */
export async function requireTrusted(context: ProjectContext, project: Project): Promise<void> {
  const { trusted } = await trustOf(context, project);
  if (!trusted)
    throw new Refusal(
      'This project wants to run commands that nobody has allowed here yet; look at them with: ralph trust',
    );
}
