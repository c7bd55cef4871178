import { isAbsolute, join } from 'node:path';
import type { Config } from '../domain/config.ts';
import { Refusal } from '../domain/refusal.ts';
import { executableLines, scriptLines } from '../domain/trust.ts';
import { readSigning, signingLine } from '../host/commits/signing.ts';
import { readHookRules } from '../host/gates/hooks.ts';
import { type Git, GitFailed } from '../host/git/git.ts';
import { findGit } from '../host/git/git-directory.ts';
import { claudeSettings } from '../project/init/claude-settings.ts';
import { packagesOf } from '../project/init/packages.ts';
import { readConfig } from '../project/read-config.ts';
import { listAllDisciplines } from '../queue/tasks/list.ts';
import type { Trust } from '../supervisor/input.ts';
import type { Project } from './open-project.ts';
import type { CommandContext, ProjectContext, World } from './world.ts';

/** `config`: the one that counts, where that is not the one in the file. */
export async function readTrust(
  context: ProjectContext,
  { root, queue }: Project,
  config?: Config,
): Promise<Trust> {
  const { isTrusted } = await import('../host/trust.ts');
  const rules = config ?? (await readConfig(root));
  const executable = executableLines(rules, await listAllDisciplines(queue), claudeSettings(root));
  const scripts = scriptLines(rules.gates, packagesOf(root, rules.gates));
  // A script behind a gate may stand behind a hook as well.
  const committing = await commitLines({ root, env: context.env }, rules);
  const lines = [...executable, ...scripts, ...committing.filter((line) => !scripts.includes(line))];
  return { lines, executable, trusted: await isTrusted(stateHome(context.env), root, lines) };
}

/** What runs when Ralph commits: hooks with their content and the scripts behind them, and what signs. */
async function commitLines(
  repository: Git,
  { commit, commit_hooks }: Pick<Config, 'commit' | 'commit_hooks'>,
): Promise<string[]> {
  if (findGit(repository.root) === null || commit === 'agent' || commit === 'never') return [];
  // Where git is missing or broken nothing is committed either; whoever commits says so.
  const signing = await readSigning(repository).catch(ifGitFailed(null));
  const hooks = commit_hooks === 'run' ? await readHookRules(repository).catch(ifGitFailed(null)) : null;
  const scripts =
    hooks === null ? [] : scriptLines(hooks.commands, packagesOf(hooks.worktree, hooks.commands));
  return [...(hooks?.lines ?? []), ...scripts, ...(signing === null ? [] : [signingLine(signing)])];
}

const ifGitFailed =
  <T>(value: T) =>
  (error: unknown): T => {
    if (error instanceof GitFailed) return value;
    throw error;
  };

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
  const { trusted } = await readTrust(context, project);
  if (!trusted)
    throw new Refusal(
      'This project wants to run commands that nobody has allowed here yet; look at them with: ralph trust',
    );
}

/** Where this user's own records live, outside of every project. */
export function stateHome({ XDG_STATE_HOME: chosen, HOME: home }: World['env']): string {
  if (chosen !== undefined && isAbsolute(chosen)) return chosen;
  if (home === undefined || home === '')
    throw new Refusal('HOME is not set; Ralph keeps its record of trust there.');
  return join(home, '.local', 'state');
}

/** An agent at work has its verbs. By the command line it could decide over its own work: skip what blocks it, answer itself. */
export function requirePerson({ env }: Pick<CommandContext, 'env'>, does: string): void {
  if (env['RALPH_SESSION_ID']) throw new Refusal(`This is a session of an agent, and only a person ${does}.`);
}
