// The hooks of the repository that judge a commit. Ralph's own git runs none; here they are found, and run like gates.

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
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
// What a person says yes to where hooks judge: every file that they may run, and what package.json has them run.

export type HookRules = {
  worktree: string;
  lines: readonly string[];
  /** The text of all of it: scripts of package.json that it names are run by it. */
  commands: readonly { command: string }[];
};

/** Keys of package.json by which tools are told what to run. */
const SETTINGS = ['lint-staged', 'nano-staged', 'husky', 'pre-commit', 'commitlint'];

/** Null where no hook would judge. */
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
  const together = others.map((file, index) => `${file}\0${hashOf(otherTexts[index] ?? '')}\n`).join('');
  return {
    worktree,
    lines: [
      ...named.map(
        (file, index) => `hook file ${shownPath(worktree, file)}: sha256 ${hashOf(texts[index] ?? '')}`,
      ),
      ...(others.length === 0
        ? []
        : [`other files in ${shownPath(worktree, folder)} (${others.length}): sha256 ${hashOf(together)}`]),
      ...settings.map(([key, value]) => `${key} of package.json: ${value}`),
    ],
    commands: [
      ...[...texts, ...otherTexts].filter(isScript).map((text) => ({ command: text.toString() })),
      // Some of these tools take the bare name of a script.
      ...settings.map(([, value]) => ({ command: `npm run ${value}` })),
    ],
  };
}

/** A binary names no script that anybody could read in it. */
const isScript = (content: Buffer): boolean => content.length < 256 * 1024 && !content.includes(0);

/** Husky's hooks lie below the folder with what they run. */
const wholeFolder = (folder: string): string =>
  basename(folder) === '_' && basename(dirname(folder)) === '.husky' ? dirname(folder) : folder;

/** None where the folder holds the whole project: then only the hooks themselves are known to be hooks. */
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

const hashOf = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('hex').slice(0, 32);
