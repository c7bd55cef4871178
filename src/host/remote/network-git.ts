// The only git that reaches a network, with the person's own credentials. It has a git directory of Ralph's own, made anew for each
// call: neither hooks nor settings of the repository count, and the remote's address is the one from before the first agent.

import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Git, readSettings, runGit } from '../git/git.ts';
import { findGit } from '../git/git-directory.ts';
import { ownGitDir } from '../git/own-folder.ts';
import { adoptSettings, newScratchFile, type Place, scratchFolder } from '../git/own-git.ts';
import { findExecutable } from '../processes/find-executable.ts';
import type { Environment, FinishedProcess } from '../processes/spawn.ts';

export type NetworkGit = {
  /** `stop`: ends a call. One that changes the remote may then have done so, or not. */
  run(args: readonly string[], stop?: AbortSignal): Promise<FinishedProcess>;
  /** The commit that a fetch put into `ref`, below `refs/fetched/`. */
  fetched(ref: string): Promise<string | null>;
};

/** What a person may have set up to reach a host; other variables of git would point it elsewhere. */
const CREDENTIALS =
  /^GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|SSL_\w+|HTTP_\w+|PROXY_SSL_\w+|CONFIG_COUNT|CONFIG_(?:KEY|VALUE)_\d+)$/;

/** Without `ext`, which executes its address, and without helpers of other programs. */
export const PROTOCOLS = 'file:git:ssh:http:https';

const SETTINGS = [
  // A host that stops answering is an outage, not a reason to wait for ever.
  'http.lowSpeedLimit=1',
  'http.lowSpeedTime=60',
  'push.gpgSign=false',
  'push.negotiate=false',
  'fetch.writeCommitGraph=false',
  'fetch.prune=false',
  'submodule.recurse=false',
].flatMap((setting) => ['-c', setting]);

export const TIMEOUT_MS = 600_000;

export const credentials = (env: Environment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      CREDENTIALS.test(name) && value !== undefined ? [[name, value]] : [],
    ),
  );

/** `known`: commits that both sides have, so that git transfers only what is newer. */
export async function withNetwork<T>(
  place: Place,
  known: readonly string[],
  work: (network: NetworkGit) => Promise<T>,
): Promise<T> {
  const found = findGit(place.root);
  if (found === null) throw new Error(`${place.root} is in no git repository.`);
  if (!existsSync(join(ownGitDir(place), 'config'))) await adoptSettings(place);
  const folder = await newScratchFile(scratchFolder(place));
  try {
    await mkdir(join(folder, 'refs', 'known'), { recursive: true });
    await mkdir(join(folder, 'refs', 'fetched'));
    for (const name of ['HEAD', 'config']) await copyFile(join(ownGitDir(place), name), join(folder, name));
    for (const commit of known) await writeFile(join(folder, 'refs', 'known', commit), `${commit}\n`);
    const git: Git = {
      root: folder,
      env: place.env,
      overrides: {
        GIT_DIR: folder,
        GIT_OBJECT_DIRECTORY: join(found.commonDir, 'objects'),
        GIT_ALLOW_PROTOCOL: PROTOCOLS,
        ...credentials(place.env),
        ...(await quietSsh(place)),
      },
    };
    return await work({
      run: (args, stop) => runGit(git, [...SETTINGS, ...args], { timeoutMs: TIMEOUT_MS, stop }),
      fetched: async (ref) =>
        (await readFile(join(folder, 'refs', 'fetched', ref), 'utf8').catch(() => null))?.trim() ?? null,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** No person answers a question of ssh during a run: without this it would wait on the terminal. */
async function quietSsh(place: Place): Promise<Record<string, string>> {
  const { env } = place;
  if (env['GIT_SSH_COMMAND'] !== undefined || env['GIT_SSH'] !== undefined) return {};
  if (findExecutable('ssh', env['PATH']) === null) return {};
  const chosen = await readSettings(place, '^core\\.sshcommand$');
  if (chosen.some(({ scope }) => scope === 'global' || scope === 'system')) return {};
  // A host that stops answering is an outage after a minute, as over http.
  const alive = '-o ServerAliveInterval=15 -o ServerAliveCountMax=4';
  return { GIT_SSH_COMMAND: `ssh -o BatchMode=yes -o ConnectTimeout=30 ${alive}` };
}
