// The home folder of gates. An agent may change the person's: `~/.npmrc` can name another shell, `~/.local/bin` can hold another
// npm, and `~/.cargo/config.toml` another program that runs the tests. So gates get the files and the programs that were there
// before the first agent. It stops no agent that overwrites a program in place, or a file further down, where caches are too large
// to be copied. A run makes one such home, and each slot for gates has a copy of its own, because gates write there.
import {
  copyFileSync,
  type Dirent,
  mkdirSync,
  opendirSync,
  realpathSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { mkdir, readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, delimiter, isAbsolute, join, relative } from 'node:path';
import { setImmediate as otherWork } from 'node:timers/promises';
import type { Environment } from '../processes/spawn.ts';

/** Holds one folder for each folder of PATH below the person's home. */
const PROGRAMS = '.ralph-programs';

/** Tools are configured below `.config`, most in a folder of their own: `git/config`, `pnpm/rc`. */
const CONFIG = '.config';
const CONFIG_DEPTH = 2;

const LOCAL = '.local';
/** Where people and installers put programs: these exist in the home of gates as well. */
const PROGRAM_FOLDERS = [join(LOCAL, 'bin'), 'bin'];

/** ssh asks the system for the home, not HOME: a copy would only be one more copy of keys. */
const KEYS = '.ssh';

/** No file of settings is larger, and no folder of settings has more entries. */
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_ENTRIES = 300;
/** Of all copies together. */
const MAX_FILES = 5_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** Tools that share a linked cache must share its lock: `.cargo/.package-cache`. */
const LOCKS = /^\.package-cache|[._-]lo?ck$/;
const isLock = ({ name, isBelow }: Place): boolean => isBelow && LOCKS.test(basename(name));

export type HomeOptions = {
  /** Whether no agent can write the person's home, and gates cannot read it. Then no more is copied than tools need. */
  isHidden: boolean;
};

/**
 * Makes it in the folder `own`. Returns the variables that differ for gates; none if the person has no home folder. Call it
 * before the first agent runs.
 */
export async function makeGateHome(
  own: string,
  env: Environment,
  { isHidden }: HomeOptions,
): Promise<Record<string, string>> {
  const home = env['HOME'] === undefined ? null : await realpath(env['HOME']).catch(() => null);
  if (home === null || env['HOME'] === undefined) return {};
  await rm(own, { recursive: true, force: true });
  await mkdir(own, { recursive: true, mode: 0o700 });
  const mirror = openMirror(isHidden);
  await mirror.layHome(home, own);
  const path = await ownPath(env, home, own);
  return {
    ...ownVariables(env, { homes: [env['HOME'], home], own, copied: mirror.copied }),
    HOME: own,
    ...path,
  };
}

/** Calls of the system are ten times as fast without a promise each; others get their turn after so many. */
const ENTRIES_A_TURN = 500;

/**
 * Copies files and links folders; a folder of settings is a folder of its own, whose folders are linked. A file that is a link is
 * copied too: people keep their settings in a repository and link to them.
 */
function openMirror(isHidden: boolean) {
  const left = { files: MAX_FILES, bytes: MAX_BYTES };
  const copied: string[] = [];
  let count = 0;

  /** How many levels of a folder of the home are copied. */
  const depthOf = (name: string): number => {
    if (name === CONFIG) return CONFIG_DEPTH;
    return isHidden || !name.startsWith('.') || name === KEYS ? 0 : 1;
  };

  const layHome = async (home: string, own: string): Promise<void> => {
    const entries = readEntries(home, Number.POSITIVE_INFINITY) ?? [];
    const isSetting = ({ name }: Dirent): boolean => name.startsWith('.');
    for (const { name } of [...entries.filter(isSetting), ...entries.filter((entry) => !isSetting(entry))]) {
      if (PROGRAM_FOLDERS.includes(name) || name === LOCAL) continue;
      const depth = depthOf(name);
      const kind = await lay(join(home, name), join(own, name), { depth, name, isBelow: false });
      if (kind === 'entered') copied.push(name);
    }
    // Never a link: the programs of gates go into it.
    await enter(join(home, LOCAL), join(own, LOCAL), { depth: 1, name: LOCAL, isBelow: false });
  };

  const lay = async (from: string, to: string, place: Place): Promise<'entered' | null> => {
    if (++count % ENTRIES_A_TURN === 0) await otherWork();
    const found = look(() => ({ real: realpathSync.native(from), stats: statSync(from) }));
    if (found === null) return null;
    const { real, stats } = found;
    if (stats.isDirectory()) {
      if (place.depth > 0 && (await enter(real, to, place))) return 'entered';
      attempt(() => symlinkSync(real, to));
    } else if (stats.isFile() && !isLock(place) && take(stats.size)) attempt(() => copyFileSync(real, to));
    // Large files, locks and sockets of a tool: without them it would not find what it left there.
    else if (place.isBelow) attempt(() => symlinkSync(real, to));
    return null;
  };

  /** False if it is no folder of settings, or not readable. */
  const enter = async (real: string, to: string, { depth, name }: Place): Promise<boolean> => {
    const entries = readEntries(
      real,
      [CONFIG, LOCAL].includes(name) ? Number.POSITIVE_INFINITY : MAX_ENTRIES,
    );
    if (entries === null) return false;
    attempt(() => mkdirSync(to, { mode: 0o700 }));
    for (const entry of entries) {
      if (PROGRAM_FOLDERS.includes(join(name, entry.name))) continue;
      const below = { depth: depth - 1, name: join(name, entry.name), isBelow: true };
      await lay(join(real, entry.name), join(to, entry.name), below);
    }
    return true;
  };

  const take = (bytes: number): boolean => {
    if (bytes > MAX_FILE_BYTES || left.files === 0 || left.bytes < bytes) return false;
    left.files -= 1;
    left.bytes -= bytes;
    return true;
  };

  return { layHome, copied };
}

/** `name`: below the home. `isBelow`: whether it is in a folder of the home. */
type Place = { depth: number; name: string; isBelow: boolean };

/** Null if there are more than `most`, or it cannot be read. */
function readEntries(folder: string, most: number): Dirent[] | null {
  return look(() => {
    const entries: Dirent[] = [];
    const opened = opendirSync(folder);
    try {
      for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
        if (entries.length === most) return null;
        entries.push(entry);
      }
    } finally {
      opened.closeSync();
    }
    return entries;
  });
}

/** What Ralph cannot look at, such as a file system of the network that is away, a gate cannot use either. */
function look<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}

/** What the person cannot read, or what went away meanwhile, no gate could read either. */
const UNREADABLE = ['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'ELOOP', 'EEXIST'];

function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (!UNREADABLE.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return null;
  }
}

type Move = { homes: readonly string[]; own: string; copied: readonly string[] };

/** Some tools find their folder by a variable: CARGO_HOME, XDG_CONFIG_HOME. */
function ownVariables(env: Environment, { homes, own, copied }: Move): Record<string, string> {
  const moved = Object.entries(env).flatMap(([name, value]): [string, string][] => {
    const folder = copied.find((one) => homes.some((home) => isSame(join(home, one), value)));
    return folder === undefined ? [] : [[name, join(own, folder)]];
  });
  return Object.fromEntries(moved);
}

const isSame = (folder: string, value: string | undefined): boolean =>
  value !== undefined && isAbsolute(value) && relative(folder, value) === '';

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
      await symlink(join(folder, program), join(own, name, program));
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
  for (const entry of await readdir(real, { withFileTypes: true }).catch(() => [])) {
    const program = join(real, entry.name);
    const found = await stat(program).catch(() => null);
    if (!found?.isFile() || (found.mode & 0o111) === 0) continue;
    const own = join(folder, basename(entry.name));
    if (entry.isSymbolicLink() && !isVirtual) await symlink(await realpath(program), own);
    else
      await writeFile(own, `#!/bin/sh\nexec '${program.replaceAll("'", `'\\''`)}' "$@"\n`, { mode: 0o700 });
  }
}
