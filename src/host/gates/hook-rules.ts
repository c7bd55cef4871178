// What a person says yes to where hooks judge: every file that they may run, and what package.json has them run.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { Git } from '../git/git.ts';
import { findGit } from '../git/git-directory.ts';
import { findHooks, shownPath } from './hooks.ts';

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
