// What of the machine a sandbox shows: nothing of what is guarded, the tools, and what the configuration and the command line name.
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Environment } from '../processes/spawn.ts';
import type { Mount } from './bwrap.ts';
import {
  type Guarded,
  hiddenFolders,
  hidingMounts,
  isBelow,
  isHidden,
  realFolder,
  realPath,
} from './guarded.ts';
import type { SandboxInput } from './sandbox.ts';
import { toolFolders } from './tool-folders.ts';

/** Everything but the command itself. A later mount covers an earlier one. */
export async function wallMounts(
  { config, env, guarded }: Pick<SandboxInput, 'config' | 'env' | 'guarded'>,
  home: string | null,
  { HOME: gateHome }: Environment,
  /** What the command line names; the configuration may let it be written, too. */
  named: readonly Mount[],
): Promise<Mount[]> {
  const hidden = hiddenFolders(guarded, env);
  const personsHome = realPath(env['HOME'] ?? '/nonexistent');
  if (home !== null) await mkdir(home, { recursive: true, mode: 0o700 });
  const never = [
    guarded.ralphState,
    guarded.repository.root,
    guarded.repository.stateDir,
    guarded.slotsFolder,
  ];
  const wanted = [
    ...config.read.map((path): Mount => ({ kind: 'read', path: pathAtHome(path, env) })),
    ...config.write.map((path): Mount => ({ kind: 'write', path: pathAtHome(path, env) })),
  ];
  // A person may show a folder around Ralph's state; the state itself stays covered.
  const exposed = [guarded.ralphState, guarded.repository.stateDir].filter((path) =>
    wanted.some((mount) => isBelow(mount.path, path)),
  );
  const homeName = env['HOME'] ?? '';
  const isLink = personsHome !== null && homeName !== personsHome && isHidden(hidden, homeName);
  const ownHome = home === null && gateHome !== undefined && isBelow(guarded.slotsFolder, gateHome);
  return [
    ...hidingMounts(hidden),
    ...(personsHome === null || ownHome ? [] : [homeMount(personsHome, home)]),
    ...(isLink ? [{ kind: 'link', path: homeName, to: personsHome } as const] : []),
    ...toolFolders(env, hidden, never).map((path): Mount => ({ kind: 'read', path })),
    ...named,
    ...wanted,
    ...exposed.map((path): Mount => ({ kind: 'empty', path })),
    ...(ownHome ? [{ kind: 'write', path: gateHome } as const] : []),
  ];
}

/** Gates in the checkout have the person's HOME: without such a folder, tools that write to it would fail. */
const homeMount = (path: string, home: string | null): Mount =>
  home === null ? { kind: 'empty', path } : { kind: 'write', path, from: home };

/** The paths, and those that the words of a command name: a person trusted that command. */
export function namedMounts(
  guarded: Guarded,
  env: Environment,
  paths: readonly string[],
  words: readonly string[],
): Mount[] {
  const hidden = hiddenFolders(guarded, env);
  const { repository, slotsFolder, ralphState } = guarded;
  const isKept = (path: string): boolean =>
    [repository.root, repository.stateDir, slotsFolder, ralphState].some((folder) => isBelow(folder, path));
  /** A script needs its neighbours, but not if these are all of a home or of the temporary files. */
  const around = (path: string): string => {
    const isWide = hidden.some((folder) => isBelow(dirname(path), folder));
    return realFolder(path) !== null || isWide ? path : dirname(path);
  };
  const named = words.filter((word) => word.startsWith('/')).flatMap((word) => realPath(word) ?? []);
  const shown = [...paths, ...named.map(around)].filter(
    (path) => isHidden(hidden, path) && !isKept(path) && !hidden.some((folder) => isBelow(path, folder)),
  );
  return [...new Set(shown)].map((path) => ({ kind: 'read', path }));
}

/** As the configuration names it. */
export const pathAtHome = (path: string, { HOME: home = '/nonexistent' }: Environment): string =>
  path.startsWith('~/') ? join(realPath(home) ?? home, path.slice(2)) : (realPath(path) ?? path);
