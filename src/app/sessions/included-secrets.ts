// Files such as `.env` that `.worktreeinclude` copies into slots: agents and gates can read them, so their values are masked
// wherever the values of the environment are.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isSecretName, secretValues } from '../../domain/secrets/secret-names.ts';
import { findGit } from '../../host/git/git-directory.ts';
import { INCLUDE_FILE, includedFiles } from '../../host/slots/include-files.ts';
import { findPlace } from '../open-project.ts';
import type { ProjectContext } from '../world.ts';

/** A larger file is no list of settings, and every value is looked for in every text. */
const MAX_BYTES = 256 * 1024;

/** The same context, whose environment also has the secrets of these files. No process gets them: none is passed by such a name. */
export async function withIncludedSecrets<Context extends ProjectContext>(
  context: Context,
): Promise<Context> {
  const { root, stateDir } = await findPlace(context);
  const worktree = findGit(root)?.worktree;
  if (worktree === undefined || !existsSync(join(worktree, INCLUDE_FILE))) return context;
  const secrets: string[] = [];
  for (const path of await includedFiles({ root, stateDir, env: context.env })) {
    const content = await readFile(join(worktree, path)).catch(() => null);
    if (content !== null && content.length <= MAX_BYTES && !content.includes(0))
      secrets.push(...secretsInFile(content.toString('utf8')));
  }
  const named = [...new Set(secrets)].map((value, index) => [
    `secret ${index + 1} of ${INCLUDE_FILE}`,
    value,
  ]);
  return { ...context, env: { ...context.env, ...Object.fromEntries(named) } };
}

// The values in a file of settings, such as `.env`, that are secrets. In such a file every value may be one, whatever its name.

/** `NAME=value`, `name: value` and `"name": "value"`: environment files, YAML, JSON, properties. */
const ASSIGNED = /^\s*(?:export\s+)?["']?([\w.-]{1,100})["']?\s*[:=]\s*(.+?)\s*,?\s*$/;

/** A name that a value counts as a secret under. */
const ANY_SECRET = 'SECRET';

export function secretsInFile(text: string): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^\s*(?:#|\/\/)/.test(line));
  // A file with one line may be the secret itself.
  const [only = ''] = lines;
  if (lines.length === 1 && !ASSIGNED.test(only)) return secretValues({ [ANY_SECRET]: only });
  return lines.flatMap((line) => {
    const [, name = '', assigned = ''] = ASSIGNED.exec(line) ?? [];
    const value = unquoted(assigned);
    // Several words are rather a text that people read, unless their name says otherwise.
    const isText = /\s/.test(value) && !isSecretName(name);
    return secretValues({ [isText ? name : ANY_SECRET]: value });
  });
}

const unquoted = (value: string): string => {
  const [, , inside] = /^(["'`])(.*)\1(?:\s+#.*)?$/.exec(value) ?? [];
  return inside ?? value.replace(/\s+#.*$/, '');
};
