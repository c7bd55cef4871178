import { homedir } from 'node:os';
import { type Environment, resolveCommand, runToEnd } from '../processes/spawn.ts';

/** `from`: where a person finds it, for a refusal. */
export type GithubToken = { value: string; from: string };

/** Names of variables as gh reads them. A token for github.com is never sent to another host, nor the other way round. */
const VARIABLES = ['GH_TOKEN', 'GITHUB_TOKEN'];
const ENTERPRISE_VARIABLES = ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'];

const TIMEOUT_MS = 10_000;

/** Null if this person has none; public repositories can be read without. Ralph stores it nowhere. */
export async function findToken(api: string, env: Environment): Promise<GithubToken | null> {
  const host = githubHost(api);
  for (const name of isGithubCloud(host) ? VARIABLES : ENTERPRISE_VARIABLES) {
    const value = env[name]?.trim();
    if (value) return { value, from: name };
  }
  // In the home folder: nothing of the project has a say.
  const { code, stdout } = await runToEnd(resolveCommand('gh', env), ['auth', 'token', '--hostname', host], {
    cwd: env['HOME'] ?? homedir(),
    env,
    timeoutMs: TIMEOUT_MS,
  });
  const value = stdout.trim();
  return code === 0 && /^\S+$/.test(value) ? { value, from: 'gh auth token' } : null;
}

/** The host that people see: github.com for api.github.com. */
export const githubHost = (api: string): string => new URL(api).host.replace(/^api\./, '');

const isGithubCloud = (host: string): boolean => host === 'github.com' || host.endsWith('.ghe.com');
