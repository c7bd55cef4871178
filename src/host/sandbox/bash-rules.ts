// What Claude Code's own sandbox keeps the commands of an agent from. Its file tools, hooks and servers stay outside of it.
import { join } from 'node:path';
import { namesIn } from '../../files/read-text.ts';
import type { Environment } from '../processes/spawn.ts';
import type { Guarded } from './guarded.ts';

export type BashRules = { allowedDomains: readonly string[]; denyRead: readonly string[] };

/** Below the home: where tools keep logins. */
const LOGINS = [
  ...[
    '.ssh',
    '.gnupg',
    '.aws',
    '.azure',
    '.kube',
    '.docker',
    '.netrc',
    '.npmrc',
    '.pypirc',
    '.git-credentials',
  ],
  ...[
    '.config/gh',
    '.config/gcloud',
    '.config/git/credentials',
    '.cargo/credentials.toml',
    '.gem/credentials',
  ],
  ...['.mozilla', '.config/google-chrome', '.config/chromium', '.password-store', '.local/share/keyrings'],
  ...['.claude/.credentials.json', '.bash_history', '.zsh_history'],
];

/** The slots are inside Ralph's own folder, so what is beside them is named one by one. */
export function bashRules(
  { repository, ralphState }: Guarded,
  env: Environment,
  allowedDomains: readonly string[],
): BashRules {
  const home = env['HOME'];
  const own = namesIn(ralphState)
    .filter((name) => name !== 'slots')
    .map((name) => join(ralphState, name));
  const logins = home === undefined ? [] : LOGINS.map((name) => join(home, name));
  // Its list knows names, not ports.
  const domains = allowedDomains.map((host) => host.replace(/:\d+$/, ''));
  return { allowedDomains: [...new Set(domains)], denyRead: [repository.stateDir, ...own, ...logins] };
}
