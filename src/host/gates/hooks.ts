// Finds the hooks of the repository that can refuse a commit. Ralph's own git runs no hooks; Ralph runs these like gates.

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { type Git, git, listSettings } from '../git/git.ts';
import { findGit } from '../git/git-directory.ts';
import { pathText } from '../git/raw-path.ts';

/** The hooks that can refuse a commit. Others prepare an editor, or run too late to refuse anything. */
const JUDGING_HOOKS = ['pre-commit', 'commit-msg'] as const;
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
type HookRules = {
  worktree: string;
  lines: readonly string[];
  /** The text of all of them: they run the scripts of package.json that they name. */
  commands: readonly { command: string }[];
};

/** Keys of package.json that configure what tools run. */
const SETTINGS = ['lint-staged', 'nano-staged', 'husky', 'pre-commit', 'commitlint'];

/** Null if no hook judges. `root`: the project in another checkout, whose hook files count instead. */
export async function readHookRules(repository: Git, root = repository.root): Promise<HookRules | null> {
  const hooks = await findHooks(repository);
  if (hooks === null) return null;
  const { persons, worktree, locate } = await otherCheckout(repository, hooks, root);
  const folder = wholeFolder(resolve(persons, hooks.folder));
  const found = await filter(hookFiles(persons, hooks), async (file) =>
    isThere(await locate(file), constants.X_OK),
  );
  if (found.length === 0) return null;
  const isLocated = async (file: string): Promise<boolean> => isThere(await locate(file), constants.F_OK);
  const tools = [...new Set(TOOLS.map(([, file]) => join(persons, file)))];
  const named = [...found, ...(await filter(tools, isLocated))];
  const moved = inWorktree(persons, folder) ? join(worktree, relative(persons, folder)) : folder;
  const below = [
    ...(await filesBelow(folder, persons)),
    ...(await filesBelow(moved, worktree)).map((file) => resolve(folder, relative(moved, file))),
  ];
  const unnamed = [...new Set(below)].filter((file) => !named.includes(file)).sort();
  const others = await filter(unnamed, isLocated);
  const read = async (file: string): Promise<Buffer> =>
    readFile(await locate(file)).catch(() => Buffer.alloc(0));
  const [texts, otherTexts] = [await Promise.all(named.map(read)), await Promise.all(others.map(read))];
  const settings = settingsIn((await read(join(persons, 'package.json'))).toString());
  const together = others.map((file, index) => `${file}\0${hash(otherTexts[index] ?? '')}\n`).join('');
  return {
    worktree,
    lines: [
      ...named.map(
        (file, index) => `hook file ${shownPath(persons, file)}: sha256 ${hash(texts[index] ?? '')}`,
      ),
      ...(others.length === 0
        ? []
        : [`other files in ${shownPath(persons, folder)} (${others.length}): sha256 ${hash(together)}`]),
      ...settings.map(([key, value]) => `${key} of package.json: ${value}`),
    ],
    commands: [
      ...[...texts, ...otherTexts].filter(isScript).map((text) => ({ command: text.toString() })),
      // Some of these tools take the bare name of a script.
      ...settings.map(([, value]) => ({ command: `npm run ${value}` })),
    ],
  };
}

const inWorktree = (worktree: string, file: string): boolean => {
  const [first] = relative(worktree, file).split(sep);
  return first !== '..' && first !== '.git';
};

const hookFiles = (worktree: string, { folder }: Hooks): string[] =>
  JUDGING_HOOKS.map((name) => resolve(worktree, folder, name));

/** The hooks as they run in another checkout of the project: from the files that `readHookRules` reads there. */
export async function findHooksIn(repository: Git, root: string): Promise<Hooks | null> {
  const hooks = await findHooks(repository);
  if (hooks === null) return null;
  const { persons, locate } = await otherCheckout(repository, hooks, root);
  const files = await Promise.all(hookFiles(persons, hooks).map(locate));
  const located = JUDGING_HOOKS.map((name, index) => ({ name, file: files[index] ?? '' }));
  return { ...hooks, found: await filter(located, ({ file }) => isThere(file, constants.X_OK)) };
}

type OtherCheckout = {
  persons: string;
  worktree: string;
  /**
   * Where a file of the person's checkout is in the other one. A file that no commit holds, such as those that husky makes when it
   * is installed, may exist only in the person's checkout: then that one counts.
   */
  locate(file: string): Promise<string>;
};

async function otherCheckout(repository: Git, hooks: Hooks, root: string): Promise<OtherCheckout> {
  const persons = findGit(repository.root)?.worktree ?? repository.root;
  const worktree = join(root, relative(repository.root, persons));
  if (worktree === persons) return { persons, worktree, locate: async (file) => file };
  const folder = wholeFolder(resolve(persons, hooks.folder));
  const inside = inWorktree(persons, folder) ? [relative(persons, folder) || '.'] : [];
  const paths = [...TOOLS.map(([, file]) => file), 'package.json', ...inside];
  const { stdout } = await git({ ...repository, root: persons }, [
    'ls-files',
    '-z',
    '--',
    ...paths.map((path) => `:(literal)${path}`),
  ]);
  const tracked = new Set(stdout.split('\0').map(pathText));
  const locate = async (file: string): Promise<string> => {
    const path = relative(persons, file);
    const there = join(worktree, path);
    const isInOther =
      inWorktree(persons, file) && (tracked.has(path) || (await isThere(there, constants.F_OK)));
    return isInOther ? there : file;
  };
  return { persons, worktree, locate };
}

async function filter<T>(items: readonly T[], test: (item: T) => Promise<boolean>): Promise<T[]> {
  const passed = await Promise.all(items.map(test));
  return items.filter((_, index) => passed[index]);
}

/** A binary names no script in readable text. */
const isScript = (content: Buffer): boolean => content.length < 256 * 1024 && !content.includes(0);

/** Husky's hooks are in a folder below the scripts that they run. */
export const wholeFolder = (folder: string): string =>
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
