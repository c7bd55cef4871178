// Secrets that Ralph reads from files while it works. Whoever masks texts or looks for secrets has the environment at hand, so
// the list belongs to that: every copy of an environment shares it, and no process gets it.

const SECRETS = Symbol('secrets of files');

type WithSecrets = { readonly [SECRETS]?: Set<string> };

export const withFileSecrets = <Variables extends object>(env: Variables): Variables => ({
  ...env,
  [SECRETS]: new Set<string>(),
});

const NONE: ReadonlySet<string> = new Set();

/** It grows while Ralph works: a session may still hold a value that its file no longer has. */
export const fileSecrets = (env: WithSecrets): ReadonlySet<string> => env[SECRETS] ?? NONE;

export function addFileSecrets(env: WithSecrets, values: readonly string[]): void {
  for (const value of values) env[SECRETS]?.add(value);
}
