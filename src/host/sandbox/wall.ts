// What of the machine a sandbox shows: nothing of what is guarded, the tools, and what the configuration and the command line name.
import { mkdir } from 'node:fs/promises';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
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

// The parts of the person's home that programs need: tool chains, read-only. All else of a home is not in the sandbox.

/** Below the home. No folder that holds a login: of `.cargo` only the programs. */
const IN_HOME = [
  ...['.nvm', '.fnm', '.volta', '.n', '.nodenv', '.bun', '.deno', '.npm-global', '.npm-packages', '.yarn'],
  ...['.asdf', '.mise', '.local/share/mise', '.local/share/fnm', '.local/share/pnpm', '.local/share/rtx'],
  ...['.pyenv', '.local/share/uv', '.local/share/pipx', '.local/pipx', '.local/share/virtualenvs', '.poetry'],
  ...[
    'miniconda3',
    'anaconda3',
    'miniforge3',
    'mambaforge',
    '.rbenv',
    '.rvm',
    '.gem/ruby',
    '.cargo/bin',
    '.rustup',
  ],
  ...[
    '.sdkman',
    '.jenv',
    '.goenv',
    'go/bin',
    '.dotnet',
    '.opam',
    '.ghcup',
    '.juliaup',
    '.elan',
    '.nix-profile',
  ],
  ...['.local/bin', '.local/lib', '.local/opt', '.local/share/claude', '.claude/local', 'bin'],
];

/** Variables that name a tool chain. */
const VARIABLES = [
  ...[
    'NVM_DIR',
    'FNM_DIR',
    'VOLTA_HOME',
    'N_PREFIX',
    'PNPM_HOME',
    'BUN_INSTALL',
    'ASDF_DIR',
    'ASDF_DATA_DIR',
  ],
  ...['MISE_DATA_DIR', 'PYENV_ROOT', 'VIRTUAL_ENV', 'CONDA_PREFIX', 'RBENV_ROOT', 'GEM_HOME', 'JAVA_HOME'],
  ...['GRADLE_HOME', 'SDKMAN_DIR', 'ANDROID_HOME', 'GOROOT', 'RUSTUP_HOME', 'DOTNET_ROOT', 'HOMEBREW_PREFIX'],
];

/** Programs of systems that keep them where sockets are. */
const ELSEWHERE = ['/run/current-system', '/run/opengl-driver'];

/** Their `bin` is a tool chain; beside it may be a login. */
const WITH_LOGINS = [
  '.cargo',
  '.composer',
  '.gem',
  '.docker',
  '.config',
  '.local',
  '.claude',
  '.m2',
  '.gradle',
];

/** `hidden`: the folders that the sandbox covers. `never`: folders that stay covered whatever PATH says. */
function toolFolders(env: Environment, hidden: readonly string[], never: readonly string[]): string[] {
  const home = realFolder(env['HOME'] ?? '/nonexistent');
  const inHome = home === null ? [] : IN_HOME.map((name) => join(home, name));
  const onPath = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  const folders = [...inHome, ...VARIABLES.flatMap((name) => env[name] ?? []), ...onPath, ...ELSEWHERE];
  const real = folders.filter(isAbsolute).flatMap((folder) => realFolder(folder) ?? []);
  // Programs are often links into a folder beside their own.
  const beside = onPath.flatMap((folder) => realFolder(folder) ?? []).map((folder) => dirname(folder));
  const isTooMuch = (folder: string): boolean =>
    hidden.includes(folder) ||
    WITH_LOGINS.includes(basename(folder)) ||
    (home !== null && isBelow(folder, home)) ||
    never.some((one) => isBelow(one, folder) || isBelow(folder, one));
  return [...new Set([...real, ...beside])].filter(
    (folder) => isHidden(hidden, folder) && !isTooMuch(folder),
  );
}
