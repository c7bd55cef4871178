// Finds the hooks of the repository that can refuse a commit. Ralph's own git runs no hooks; Ralph runs these like gates.

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { type Git, listSettings } from '../git/git.ts';
import { findGit } from '../git/git-directory.ts';

/** The hooks that can refuse a commit. Others prepare an editor, or run too late to refuse anything. */
export const JUDGING_HOOKS = ['pre-commit', 'commit-msg'] as const;
export type HookName = (typeof JUDGING_HOOKS)[number];

export type Hooks = {
  /** Relative to the work tree if it is inside. */
  folder: string;
  found: readonly { name: HookName; file: string }[];
  /** The tools that manage them: husky, pre-commit, lefthook. */
  tools: readonly string[];
  /** Configuration files of such tools, even if their hooks are not installed. */
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
  for (const name of JUDGING_HOOKS)
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

/** What a person trusts if hooks judge: every file that they may run, and the settings in package.json. */
export type HookRules = {
  worktree: string;
  lines: readonly string[];
  /** The text of all of them: they run the scripts of package.json that they name. */
  commands: readonly { command: string }[];
};

/** Keys of package.json that configure what tools run. */
const SETTINGS = ['lint-staged', 'nano-staged', 'husky', 'pre-commit', 'commitlint'];

/** Null if no hook judges. */
export async function readHookRules(repository: Git): Promise<HookRules | null> {
  const hooks = await findHooks(repository);
  if (hooks === null || hooks.found.length === 0) return null;
  const worktree = findGit(repository.root)?.worktree ?? repository.root;
  const named = [...hooks.found.map(({ file }) => file), ...hooks.files.map((file) => join(worktree, file))];
  const folder = wholeFolder(resolve(worktree, hooks.folder));
  const others = (await filesBelow(folder, worktree)).filter((file) => !named.includes(file));
  const read = (file: string): Promise<Buffer> => readFile(file).catch(() => Buffer.alloc(0));
  const [texts, otherTexts] = [await Promise.all(named.map(read)), await Promise.all(others.map(read))];
  const settings = settingsIn((await read(join(worktree, 'package.json'))).toString());
  const together = others.map((file, index) => `${file}\0${hash(otherTexts[index] ?? '')}\n`).join('');
  return {
    worktree,
    lines: [
      ...named.map(
        (file, index) => `hook file ${shownPath(worktree, file)}: sha256 ${hash(texts[index] ?? '')}`,
      ),
      ...(others.length === 0
        ? []
        : [`other files in ${shownPath(worktree, folder)} (${others.length}): sha256 ${hash(together)}`]),
      ...settings.map(([key, value]) => `${key} of package.json: ${value}`),
    ],
    commands: [
      ...[...texts, ...otherTexts].filter(isScript).map((text) => ({ command: text.toString() })),
      // Some of these tools take the bare name of a script.
      ...settings.map(([, value]) => ({ command: `npm run ${value}` })),
    ],
  };
}

/** A binary names no script in readable text. */
const isScript = (content: Buffer): boolean => content.length < 256 * 1024 && !content.includes(0);

/** Husky's hooks are in a folder below the scripts that they run. */
const wholeFolder = (folder: string): string =>
  basename(folder) === '_' && basename(dirname(folder)) === '.husky' ? dirname(folder) : folder;

/** None if the folder holds the whole project: then only the hooks themselves are certainly hooks. */
async function filesBelow(folder: string, worktree: string): Promise<string[]> {
  if (!relative(folder, worktree).startsWith('..')) return [];
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return found
    .filter((entry) => !entry.isDirectory() && !entry.name.endsWith('.sample'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !relative(folder, file).split(sep).includes('node_modules'))
    .sort();
}

function settingsIn(text: string): [key: string, value: string][] {
  try {
    const json = JSON.parse(text);
    return SETTINGS.flatMap((key) => (json?.[key] === undefined ? [] : [[key, JSON.stringify(json[key])]]));
  } catch {
    return [];
  }
}

const hash = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('hex').slice(0, 32);
