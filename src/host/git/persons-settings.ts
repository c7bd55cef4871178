// What the person's configuration of git says about commits and filters. Sessions ask for it again and again, and each answer of git
// takes a process, so git is asked again only if one of its files has changed.
import { join } from 'node:path';
import { fileStamp } from '../../files/own-file.ts';
import { type Git, readSettings, type Setting } from './git.ts';
import { findGit } from './git-directory.ts';

type Settings = ReadonlyMap<string, string>;

const ASKED =
  '^((user|author|committer)\\.(name|email)|user\\.signingkey|commit\\.gpgsign|gpg\\..*|filter\\..*|include(if)?\\..*|core\\.[a-z]*|extensions\\.objectformat|remote\\..*\\.(url|pushurl))$';
const cache = new Map<string, { stamps: string; settings: readonly Setting[] }>();

/** By key; for a key that is set twice the last counts. */
export const personsSettings = async (repository: Git): Promise<Settings> =>
  new Map((await scopedSettings(repository)).map(({ key, value }) => [key, value]));

/** All except those that Ralph itself sets. */
export async function scopedSettings(repository: Git): Promise<readonly Setting[]> {
  const stamps = configStamps(repository);
  const before = cache.get(repository.root);
  if (before?.stamps === stamps) return before.settings;
  const settings = (await readSettings(repository, ASKED)).filter(({ scope }) => scope !== 'command');
  // Do not cache settings with includes: only git knows the included files.
  const isWhole = !settings.some(({ key }) => key.startsWith('include'));
  if (isWhole) cache.set(repository.root, { stamps, settings });
  return settings;
}

function configStamps({ root, env }: Git): string {
  const place = findGit(root);
  const home = env['HOME'] ?? '';
  const files = [
    ...(place === null ? [] : [join(place.commonDir, 'config'), join(place.gitDir, 'config.worktree')]),
    env['GIT_CONFIG_GLOBAL'] ?? join(home, '.gitconfig'),
    join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'git', 'config'),
    env['GIT_CONFIG_SYSTEM'] ?? '/etc/gitconfig',
  ];
  return files.map((file) => `${file} ${fileStamp(file) ?? 'none'}`).join('\n');
}

const FILTER_OFF = [
  ['clean', ''],
  ['smudge', ''],
  ['process', ''],
  ['required', 'false'],
] as const;

/**
 * For commands that write the person's index: git then reads recently changed files again, through the filters that the
 * repository names. This switches off each filter by its name.
 */
export async function withoutFilters(repository: Git): Promise<Git> {
  const keys = [...(await personsSettings(repository)).keys()];
  const names = new Set(keys.flatMap((key) => /^filter\.(.+)\.[^.]+$/.exec(key)?.[1] ?? []));
  const settings = [...names].flatMap((name) =>
    FILTER_OFF.map(([key, value]) => [`filter.${name}.${key}`, value] as const),
  );
  const overrides = Object.fromEntries(
    settings.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  );
  return { ...repository, overrides: { ...overrides, GIT_CONFIG_COUNT: String(settings.length) } };
}
