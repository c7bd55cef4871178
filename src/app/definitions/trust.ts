import { isAbsolute, join } from 'node:path';
import type { Config } from '../../domain/config.ts';
import { Refusal } from '../../domain/refusal.ts';
import { executableLines, namesRemote, remoteLine, scriptLines, slotCommands } from '../../domain/trust.ts';
import { readSigning, signingLine } from '../../host/commits/signing.ts';
import { acceptedFiles, type DefinitionPlace } from '../../host/definitions/accepted.ts';
import { readHookRules } from '../../host/gates/hooks.ts';
import { type Git, listSettings } from '../../host/git/git.ts';
import { findGit } from '../../host/git/git-directory.ts';
import { findExecutable } from '../../host/processes/find-executable.ts';
import { liveness } from '../../host/processes/process-identity.ts';
import { claudeSettings } from '../../project/init/claude-settings.ts';
import { gatePackages } from '../../project/init/packages.ts';
import { readConfig } from '../../project/read-config.ts';
import { runningRun } from '../../queue/sessions/runs.ts';
import { listAllDisciplines } from '../../queue/tasks/list.ts';
import type { Trust } from '../../supervisor/input.ts';
import type { Project } from '../open-project.ts';
import type { ProjectContext, World } from '../world.ts';
import { isOfSession } from './consent.ts';

/**
 * What this project may run, and whether a person trusts all of it. `config`: instead of the one in the file. `folder`: another
 * checkout of the project, whose scripts, settings and hook files count instead.
 */
export async function readTrust(
  context: ProjectContext,
  { root, queue }: Project,
  config?: Config,
  folder = root,
): Promise<Trust> {
  const { isTrusted, trustValue } = await import('../../host/trust.ts');
  const chosen = config ?? (await readConfig(root));
  const executable = executableLines(chosen, await listAllDisciplines(queue), claudeSettings(folder));
  const commands = [...chosen.gates, ...slotCommands(chosen)];
  const scripts = scriptLines(commands, gatePackages(folder, commands));
  // A hook may run the same script as a gate.
  const committing = await commitLines({ root, env: context.env }, chosen, folder);
  const lines = [...executable, ...scripts, ...committing.filter((line) => !scripts.includes(line))];
  const stated = statedTrust(context, root);
  const trusted =
    stated === null
      ? await isTrusted(stateHome(context.env), root, lines, { isShared: namesRemote(lines) })
      : stated === trustValue(lines);
  return { lines, executable, trusted };
}

/** What the person who set this machine up trusted, for machines without a terminal. No session of an agent can set it. */
const statedTrust = ({ env }: Pick<ProjectContext, 'env'>, root: string): string | null => {
  const { RALPH_TRUST: stated } = env;
  return stated === undefined || stated === '' || isOfSession({ env }, root) ? null : stated;
};

/** What runs when Ralph commits: hooks with their content and scripts, and the program that signs. And where the work goes. */
async function commitLines(
  repository: Git,
  { commit, commit_hooks, land }: Pick<Config, 'commit' | 'commit_hooks' | 'land'>,
  folder: string,
): Promise<string[]> {
  if (findGit(repository.root) === null || commit === 'agent' || commit === 'never') return [];
  // Without a git nothing is committed either.
  if (findExecutable('git', repository.env['PATH']) === null) return [];
  // A git that fails must not look like a project without these: the session would have changed its own judge.
  const signing = await readSigning(repository);
  const hooks = commit_hooks === 'run' ? await readHookRules(repository, folder) : null;
  const scripts =
    hooks === null ? [] : scriptLines(hooks.commands, gatePackages(hooks.worktree, hooks.commands));
  return [
    ...(hooks?.lines ?? []),
    ...scripts,
    ...(signing === null ? [] : [signingLine(signing)]),
    ...(await remoteLines(repository, land)),
  ];
}

async function remoteLines(repository: Git, { target, remote, branch }: Config['land']): Promise<string[]> {
  if (remote === null || branch === null) return [];
  const settings = await listSettings(repository, '^remote\\..*\\.(url|pushurl)$');
  const url = settings.get(`remote.${remote}.pushurl`) ?? settings.get(`remote.${remote}.url`);
  return url === undefined ? [] : [remoteLine({ target, branch, url })];
}

export async function recordTrust(
  context: ProjectContext,
  { root, queue }: Project,
  lines: readonly string[],
): Promise<{ isBesideRun: boolean }> {
  const { trust: write } = await import('../../host/trust.ts');
  const isBesideRun = (await runningRun(queue, liveness)) !== null;
  const isShared = namesRemote(lines);
  await write(stateHome(context.env), root, lines, { now: context.now(), isBesideRun, isShared });
  return { isBesideRun };
}

/** Ralph executes nothing that a project's files name before a person trusts it. */
export async function requireTrusted(context: ProjectContext, project: Project): Promise<void> {
  const { trusted } = await readTrust(context, project);
  if (!trusted && statedTrust(context, project.root) !== null)
    throw new Refusal(
      'RALPH_TRUST names other commands than this project would run now; look at them with ralph trust --print, and set RALPH_TRUST to the value that it prints.',
    );
  if (!trusted)
    throw new Refusal(
      'This project wants to run commands that you have not trusted yet; look at them with: ralph trust',
    );
}

/** The folder of this user's own records, outside of every project. */
export function stateHome({ XDG_STATE_HOME: chosen, HOME: home }: World['env']): string {
  if (chosen !== undefined && isAbsolute(chosen)) return chosen;
  if (home === undefined || home === '')
    throw new Refusal('HOME is not set; Ralph keeps its record of trust there.');
  return join(home, '.local', 'state');
}

// The configuration as it counts: what an agent writes into the file has no effect before a person approves it.

export const readAcceptedConfig = async (place: DefinitionPlace): Promise<Config> =>
  readConfig(place.root, await acceptedFiles(place));
