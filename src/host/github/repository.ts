// Which repository on GitHub a git remote is.
import { Refusal } from '../../domain/refusal.ts';
import { listSettings } from '../git/git.ts';
import { ownGit, type Place } from '../git/own-git.ts';
import { githubHost } from './token.ts';

/** OWNER/REPO. `chosen`: as the configuration names it, whatever the address of the remote is. */
export async function requireRepository(
  place: Place,
  { remote, api, chosen }: { remote: string; api: string; chosen: string | null },
): Promise<string> {
  if (chosen !== null) return chosen;
  const settings = await listSettings(await ownGit(place, '/nonexistent'), '^remote\\..*\\.url$');
  const found = parseAddress(settings.get(`remote.${remote}.url`) ?? '');
  const host = githubHost(api).replace(/:\d+$/, '');
  if (found === null || found.host !== host)
    throw new Refusal(
      `Pull requests need GitHub, and the git remote ${remote} is not at ${host}; name another remote as land.remote, set github.api for GitHub Enterprise, or name the repository as github.repository.`,
    );
  return found.name;
}

/** `git@github.com:OWNER/REPO.git`, `https://github.com/OWNER/REPO`, `ssh://git@ssh.github.com:443/OWNER/REPO.git`. */
export function parseAddress(url: string): { host: string; name: string } | null {
  const [, host = '', path = ''] =
    /^(?:https?|ssh|git):\/\/(?:[^/@]*@)?([^/:]+)(?::\d+)?\/(.+)$/.exec(url) ??
    /^(?:[^/@]+@)?([^/:@]+):(?!\/)(.+)$/.exec(url) ??
    [];
  const name = path.replace(/\/+$/, '').replace(/\.git$/, '');
  if (!/^[\w.-]+\/[\w.-]+$/.test(name)) return null;
  return { host: host.toLowerCase().replace(/^ssh\.(?=github\.com$)/, ''), name };
}
