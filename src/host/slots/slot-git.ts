// The `.git` of a slot, written anew for every session: hooks, settings, refs and excludes of an earlier agent are gone. What
// the agent does with it stays in the slot: Ralph never reads it.
import { copyFileSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readSettings } from '../git/git.ts';
import { findGit } from '../git/git-directory.ts';
import { removeLeftovers } from './leftovers.ts';
import type { Slot } from './slot.ts';

export type SlotHead = {
  commit: string;
  /** The branch that the agent finds itself on; null for a detached HEAD. */
  branch: string | null;
  /** `branch`: the person's, as `origin` shows it to the agent. `ref`: where work lands. */
  trunk: { branch: string; ref: string };
};

/** Adopted, so that `git commit` and `git diff` work in the slot as they do in the checkout. */
const ADOPTED =
  '^(user\\.(name|email)|core\\.(filemode|symlinks|ignorecase|precomposeunicode|autocrlf|eol)|extensions\\.objectformat|remote\\.origin\\.url)$';

export const removeSlotGit = ({ tree }: Slot): Promise<void> => removeLeftovers(join(tree, '.git'));

/** Where `removeSlotGit` has removed the one before. */
export async function writeSlotGit(slot: Slot, { commit, branch, trunk }: SlotHead): Promise<void> {
  const { repository, tree } = slot;
  const found = findGit(repository.root);
  if (found === null) throw new Error(`${repository.root} is in no git repository.`);
  const folder = join(tree, '.git');
  for (const name of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info'])
    mkdirSync(join(folder, name), { recursive: true });
  // Synchronous: a session waits for these small files, and a thread for each would take longer.
  const write = (name: string, text: string | Buffer): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  write('objects/info/alternates', `${join(found.commonDir, 'objects')}\n`);
  write(`refs/remotes/origin/${trunk.branch}`, `${commit}\n`);
  if (branch === null) write('HEAD', `${commit}\n`);
  else {
    write(`refs/heads/${branch}`, `${commit}\n`);
    write('HEAD', `ref: refs/heads/${branch}\n`);
  }
  for (const name of ['info/exclude', 'shallow'])
    copyIfReadable(join(found.commonDir, name), join(folder, name));
  // Git's output holds one character a byte.
  write('config', Buffer.from(configText(await adoptedSettings(slot)), 'latin1'));
  copyFileSync(slot.index, join(folder, 'index'));
}

function copyIfReadable(from: string, to: string): void {
  try {
    copyFileSync(from, to);
  } catch {
    // Most repositories are not shallow, and some have no excludes.
  }
}

/** Whether the tree is a folder of its own: an agent may have put a link in its place. */
export const isFolder = (path: string): boolean => {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    return false;
  }
};

type Settings = ReadonlyMap<string, string>;
const settingsCache = new WeakMap<Slot['repository'], Promise<Settings>>();

/** Read once a run, before the first agent can change them. */
function adoptedSettings({ repository }: Pick<Slot, 'repository'>): Promise<Settings> {
  const cached = settingsCache.get(repository);
  if (cached !== undefined) return cached;
  const reading = readSettings(repository, ADOPTED).then(
    (settings) => new Map(settings.map(({ key, value }) => [key, value])),
  );
  settingsCache.set(repository, reading);
  // Otherwise one git that dies would fail every later session of the run.
  reading.catch(() => settingsCache.delete(repository));
  return reading;
}

/** Nothing that runs in a slot may push: only Ralph puts work on a branch. */
const NOWHERE = 'ralph-slots-do-not-push';

/** An address may hold a password, which is no agent's to read. */
const withoutLogin = (url: string): string => url.replace(/^(https?:\/\/)[^/@]*@/, '$1');

function configText(settings: Settings): string {
  const format = settings.get('extensions.objectformat');
  const section = (name: string): string[] =>
    [...settings]
      .filter(([key]) => key.startsWith(`${name}.`))
      .map(([key, value]) => `\t${key.slice(name.length + 1)} = ${JSON.stringify(value)}\n`);
  const origin = settings.get('remote.origin.url');
  return [
    `[core]\n\trepositoryformatversion = ${format === undefined ? 0 : 1}\n\tbare = false\n`,
    ...section('core'),
    ...(format === undefined ? [] : [`[extensions]\n\tobjectFormat = ${JSON.stringify(format)}\n`]),
    '[user]\n',
    ...section('user'),
    '[remote "origin"]\n',
    ...(origin === undefined ? [] : [`\turl = ${JSON.stringify(withoutLogin(origin))}\n`]),
    `\tpushurl = ${NOWHERE}\n`,
  ].join('');
}
