// The hooks of the repository that judge a commit. Ralph's own git runs none; here they are found, and run like gates.

import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { type Git, listSettings } from '../git/git.ts';
import { findGit } from '../git/git-directory.ts';

/** Those that can refuse a commit. The others prepare an editor, or come too late to refuse anything. */
export const JUDGING = ['pre-commit', 'commit-msg'] as const;
export type HookName = (typeof JUDGING)[number];

export type Hooks = {
  /** As a person would name it. */
  folder: string;
  found: readonly { name: HookName; file: string }[];
  /** What keeps them: husky, pre-commit, lefthook. */
  tools: readonly string[];
  /** Files of tools that are there although no hook of theirs is installed. */
  files: readonly string[];
};

const TOOLS: readonly (readonly [tool: string, file: string])[] = [
  ['husky', '.husky/pre-commit'],
  ['husky', '.husky/commit-msg'],
  ['husky', '.huskyrc'],
  ['pre-commit', '.pre-commit-config.yaml'],
  ['pre-commit', '.pre-commit-config.yml'],
  ...['lefthook.yml', '.lefthook.yml', 'lefthook.yaml', 'lefthook.toml', 'lefthook-local.yml'].map(
    (file) => ['lefthook', file] as const,
  ),
  ['lint-staged', '.lintstagedrc'],
  ...['.json', '.yaml', '.yml', '.js', '.mjs', '.cjs'].map(
    (end) => ['lint-staged', `.lintstagedrc${end}`] as const,
  ),
  ...['.js', '.mjs', '.cjs', '.ts'].map((end) => ['lint-staged', `lint-staged.config${end}`] as const),
];

/** Null without git. */
export async function findHooks(repository: Git): Promise<Hooks | null> {
  const place = findGit(repository.root);
  if (place === null) return null;
  const { worktree, commonDir } = place;
  const named = (await listSettings(repository, '^core\\.hookspath$')).get('core.hookspath');
  const home = repository.env['HOME'] ?? homedir();
  const folder =
    named === undefined ? join(commonDir, 'hooks') : resolve(worktree, named.replace(/^~(?=\/)/, home));
  const found: { name: HookName; file: string }[] = [];
  for (const name of JUDGING)
    if (await isThere(join(folder, name), constants.X_OK)) found.push({ name, file: join(folder, name) });
  const files: string[] = [];
  for (const [, file] of TOOLS) if (await isThere(join(worktree, file), constants.F_OK)) files.push(file);
  const tools = TOOLS.filter(([, file]) => files.includes(file)).map(([tool]) => tool);
  const shown = relative(worktree, folder);
  return { folder: shown.startsWith('..') ? folder : shown, found, tools: [...new Set(tools)], files };
}

const isThere = (file: string, mode: number): Promise<boolean> =>
  access(file, mode).then(
    () => true,
    () => false,
  );

export const shownPath = (worktree: string, file: string): string => {
  const path = relative(worktree, file);
  return path.startsWith('..') ? file : path;
};
