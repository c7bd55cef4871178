// Clones a repository for a machine where nobody sits, with the credentials that git has there.
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { runGit } from '../git/git.ts';
import type { Environment } from '../processes/spawn.ts';
import { credentials, PROTOCOLS, TIMEOUT_MS } from './network-git.ts';
import { explainFailure } from './remote-failure.ts';

/** Does nothing if there is a folder already. A killed clone leaves none: it appears whole or not at all. */
export async function cloneInto(folder: string, url: string, env: Environment): Promise<boolean> {
  if (existsSync(folder)) return false;
  const part = `${folder}.${process.pid}.part`;
  await mkdir(dirname(folder), { recursive: true });
  try {
    // From a folder that is in no repository: around one, git would take that for the clone's.
    const git = { root: '/', env, overrides: { GIT_ALLOW_PROTOCOL: PROTOCOLS, ...credentials(env) } };
    const ended = await runGit(git, ['clone', '--quiet', '--', url, part], { timeoutMs: TIMEOUT_MS });
    if (ended.code !== 0) throw explainFailure(ended, { name: 'origin', ref: 'HEAD' });
    await rename(part, folder);
    return true;
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}
