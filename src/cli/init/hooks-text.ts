// What Ralph says and asks about the hooks of a repository.
import type { CommandContext } from '../../app/world.ts';
import type { Config } from '../../domain/config.ts';
import { findHooks, type Hooks } from '../../host/gates/hooks.ts';
import { GitFailed } from '../../host/git/git.ts';
import { CONFIG_FILE } from '../../project/read-config.ts';

/** Null if the repository has no hooks and no tool for them. */
export async function repositoryHooks(
  context: Pick<CommandContext, 'env'>,
  root: string,
): Promise<Hooks | null> {
  const hooks = await findHooks({ root, env: context.env }).catch((error: unknown) => {
    // Another check reports a missing git.
    if (error instanceof GitFailed) return null;
    throw error;
  });
  return hooks === null || (hooks.found.length === 0 && hooks.tools.length === 0) ? null : hooks;
}

const RUN_THEM = `commit: { policy: task, hooks: run } in ${CONFIG_FILE}`;

export function hooksText(
  hooks: Hooks,
  { commit, commit_hooks }: Pick<Config, 'commit' | 'commit_hooks'>,
): string {
  const name = hooksName(hooks);
  if (hooks.found.length === 0) return `${name}: neither git nor Ralph runs any of it`;
  if (commit === 'agent' || commit === 'never') return `${name}: Ralph makes no commit that they could check`;
  if (commit_hooks === 'run') return `${name}: they check each commit that Ralph makes`;
  return `${name}: Ralph commits without them; to let them check: ${RUN_THEM}`;
}

function hooksName({ found, folder, tools, files }: Hooks): string {
  const managers = tools.length === 0 ? '' : ` (${tools.join(', ')})`;
  return found.length === 0
    ? `${files.join(', ')}${managers}, but no hook is installed`
    : `${found.map(({ name }) => name).join(' and ')} in ${folder}${managers}`;
}

/** Only a person on a terminal can enable them: they may have come with a clone. */
export async function wantsHooks({ terminal }: CommandContext, hooks: Hooks | null): Promise<boolean> {
  if (hooks === null || hooks.found.length === 0 || terminal.ask === null) return false;
  const question = `This repository has hooks: ${hooksName(hooks)}.\nLet them check each commit that Ralph makes? [y/N] `;
  return /^y(es)?$/i.test((await terminal.ask(question)).trim());
}
