// The home folder of gates. An agent may change the person's: `~/.npmrc` can name another shell, `~/.local/bin` can hold another
// npm. So gates get the files and the programs that were there before the first agent. It stops no agent that overwrites a
// program or a file of a tool chain in place. A run makes one such home, and each slot for gates has a copy of its own, because
// gates write there.
import { copyFile, mkdir, readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, delimiter, isAbsolute, join, relative } from 'node:path';
import type { Environment } from '../processes/spawn.ts';

const MAX_FILE_BYTES = 1024 * 1024;

/** Holds one folder for each folder of PATH below the person's home. */
const PROGRAMS = '.ralph-programs';

/** Tools are configured below `.config`, most in a folder of their own: `git/config`, `pnpm/rc`. */
const CONFIG = '.config';
const CONFIG_DEPTH = 2;

/** A folder of its own, so that `$HOME/.local/bin` has no program of an agent; its other folders are linked. */
const LOCAL = '.local';
/** Where people and installers put programs: these exist in the home of gates as well. */
const PROGRAM_FOLDERS = [join(LOCAL, 'bin'), 'bin'];

/**
 * Makes it in the folder `own`. Returns the variables that differ for gates; none if the person has no home folder. Call it
 * before the first agent runs.
 */
export async function makeGateHome(own: string, env: Environment): Promise<Record<string, string>> {
  const home = env['HOME'] === undefined ? null : await realpath(env['HOME']).catch(() => null);
  if (home === null || env['HOME'] === undefined) return {};
  await rm(own, { recursive: true, force: true });
  await mkdir(own, { recursive: true, mode: 0o700 });
  await mirror(home, own, 1, [CONFIG, LOCAL, ...PROGRAM_FOLDERS]);
  await mirror(join(home, CONFIG), join(own, CONFIG), CONFIG_DEPTH, []);
  await mirror(join(home, LOCAL), join(own, LOCAL), 1, ['bin']);
  const path = await ownPath(env, home, own);
  const config = env['XDG_CONFIG_HOME'];
  const isUsual = config !== undefined && (await realpath(config).catch(() => null)) === join(home, CONFIG);
  return { HOME: own, ...path, ...(isUsual ? { XDG_CONFIG_HOME: join(own, CONFIG) } : {}) };
}

const readEntries = (folder: string) => readdir(folder, { withFileTypes: true }).catch(() => []);

/**
 * Copies files and links folders; `depth` tells at which level folders are linked. A file that is a link is copied too: people
 * keep their settings in a repository and link to them.
 */
async function mirror(from: string, to: string, depth: number, except: readonly string[]): Promise<void> {
  for (const { name } of await readEntries(from)) {
    if (except.includes(name)) continue;
    const real = await realpath(join(from, name)).catch(() => null);
    const found = real === null ? null : await stat(real).catch(() => null);
    if (real === null || found === null) continue;
    const own = join(to, name);
    if (found.isDirectory() && depth > 1) await mirror(real, own, depth - 1, []);
    else if (found.isDirectory()) await linkTo(real, own);
    else if (found.isFile() && found.size <= MAX_FILE_BYTES) await copyTo(real, own);
  }
}

/** What a gate made under this name makes way. */
async function linkTo(real: string, own: string): Promise<void> {
  await mkdir(join(own, '..'), { recursive: true, mode: 0o700 });
  await rm(own, { recursive: true, force: true });
  await symlink(real, own);
}

async function copyTo(real: string, own: string): Promise<void> {
  await mkdir(join(own, '..'), { recursive: true, mode: 0o700 });
  await rm(own, { recursive: true, force: true });
  await copyFile(real, own).catch(ifUnreadable);
}

/** What the person cannot read, no gate could read either. */
function ifUnreadable(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EACCES' && error.code !== 'ENOENT') throw error;
}

/** PATH, with every folder below the home replaced by one that holds the programs of now. */
async function ownPath(env: Environment, home: string, own: string): Promise<Record<string, string>> {
  const folders = env['PATH']?.split(delimiter) ?? [];
  const copies = new Map<string, string>();
  const hold = async (real: string): Promise<string> => {
    const copy = copies.get(real);
    if (copy !== undefined) return copy;
    const folder = join(own, PROGRAMS, `${copies.size + 1}`);
    copies.set(real, folder);
    await holdPrograms(real, folder);
    return folder;
  };
  for (const name of PROGRAM_FOLDERS) {
    const real = await realpath(join(home, name)).catch(() => null);
    await mkdir(join(own, name), { recursive: true, mode: 0o700 });
    if (real === null) continue;
    const folder = await hold(real);
    for (const program of await readdir(folder))
      await linkTo(join(folder, program), join(own, name, program));
  }
  if (env['PATH'] === undefined) return {};
  const path: string[] = [];
  for (const folder of folders) {
    const real = isAbsolute(folder) ? await realpath(folder).catch(() => null) : null;
    const usual = PROGRAM_FOLDERS.find((name) => relative(join(env['HOME'] ?? home, name), folder) === '');
    if (usual !== undefined) path.push(join(own, usual));
    // A folder that is not there yet could be made by an agent.
    else if (real === null && (isBelow(env['HOME'] ?? home, folder) || isBelow(home, folder))) continue;
    else path.push(real !== null && isBelow(home, real) ? await hold(real) : folder);
  }
  return { PATH: path.join(delimiter) };
}

const isBelow = (home: string, path: string): boolean => {
  const inside = relative(home, path);
  return inside !== '' && !inside.startsWith('..') && !isAbsolute(inside);
};

/**
 * A program that is a link copes with being one, and may look at the name that it was called by, so it is linked. A script may
 * look for its neighbours beside itself, and a Python of a virtual environment does: those are started in their own place.
 */
async function holdPrograms(real: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const isVirtual = (await readFile(join(real, '..', 'pyvenv.cfg')).catch(() => null)) !== null;
  for (const entry of await readEntries(real)) {
    const program = join(real, entry.name);
    const found = await stat(program).catch(() => null);
    if (!found?.isFile() || (found.mode & 0o111) === 0) continue;
    const own = join(folder, basename(entry.name));
    if (entry.isSymbolicLink() && !isVirtual) await symlink(await realpath(program), own);
    else
      await writeFile(own, `#!/bin/sh\nexec '${program.replaceAll("'", `'\\''`)}' "$@"\n`, { mode: 0o700 });
  }
}
