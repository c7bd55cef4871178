// What no process in a sandbox sees: the person's home, Ralph's state, the repository, other slots, sockets of the machine.
import { realpathSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findGit } from '../git/git-directory.ts';
import type { Place } from '../git/own-git.ts';
import type { Environment } from '../processes/spawn.ts';
import type { Mount } from './bwrap.ts';

export type Guarded = {
  repository: Place;
  /** Ralph's folder among the person's records, with trust and tokens. */
  ralphState: string;
  slotsFolder: string;
};

/** Homes, temporary files, and sockets such as that of Docker, which makes its user root. */
const EVERYWHERE = ['/tmp', '/var/tmp', '/run', '/home', '/root', '/media', '/mnt'];

/** Readable for root, and Ralph may run as root. */
const FILES = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/sudoers',
  '/etc/krb5.keytab',
];

/** Outer folders first; none that is inside another. */
export function hiddenFolders({ repository, ralphState, slotsFolder }: Guarded, env: Environment): string[] {
  const found = findGit(repository.root);
  const folders = [
    ...EVERYWHERE,
    env['HOME'] ?? homedir(),
    tmpdir(),
    repository.root,
    found?.worktree,
    found?.commonDir,
    repository.stateDir,
    ralphState,
    slotsFolder,
  ];
  const real = folders.flatMap((folder) => (folder === undefined ? [] : (realFolder(folder) ?? [])));
  const outerFirst = [...new Set(real)].sort((one, other) => one.length - other.length);
  return outerFirst.filter(
    (folder) => folder !== '/' && !outerFirst.some((other) => other !== folder && isBelow(other, folder)),
  );
}

export const hidingMounts = (folders: readonly string[]): Mount[] => [
  // `/dev` is new already: it needs no cover.
  ...folders.filter((path) => !isBelow('/dev', path)).map((path): Mount => ({ kind: 'empty', path })),
  ...FILES.filter(isReadable).map((path): Mount => ({ kind: 'blank', path })),
];

export const isHidden = (folders: readonly string[], path: string): boolean =>
  isBelow('/dev', path) || folders.some((folder) => isBelow(folder, path));

/** Whether the path is the folder or inside it. */
export const isBelow = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);

export function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

export function realFolder(path: string): string | null {
  const real = realPath(path);
  return real !== null && statSync(real, { throwIfNoEntry: false })?.isDirectory() ? real : null;
}

const isReadable = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

/** The objects that a slot borrows, and those that they borrow in turn. */
export function objectFolders(repository: Place, read: (file: string) => string | null): string[] {
  const found = findGit(repository.root);
  if (found === null) return [];
  const objects = join(found.commonDir, 'objects');
  const others = (read(join(objects, 'info', 'alternates')) ?? '').split('\n').filter(Boolean);
  return [objects, ...others.map((path) => (path.startsWith('/') ? path : join(objects, path)))];
}
