// The parts of the person's home that programs need: tool chains, read-only. All else of a home is not in the sandbox.
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import type { Environment } from '../processes/spawn.ts';
import { isBelow, isHidden, realFolder } from './guarded.ts';

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
export function toolFolders(env: Environment, hidden: readonly string[], never: readonly string[]): string[] {
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
