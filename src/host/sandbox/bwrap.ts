// A policy as the command line of bubblewrap.

/** In this order: a later one covers an earlier one. */
export type Mount =
  /** An empty folder in memory. */
  | { kind: 'empty'; path: string }
  /** An empty file that cannot be written. */
  | { kind: 'blank'; path: string }
  | { kind: 'link'; path: string; to: string }
  | { kind: 'read' | 'write'; path: string; from?: string };

/** What a kernel would let the user root change from any namespace. */
const KERNEL = ['/proc/sys', '/proc/sysrq-trigger'];

export const BASE: readonly string[] = [
  '--unshare-pid',
  '--unshare-net',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  '--die-with-parent',
  // Root would keep all of its capabilities, and could undo every mount.
  '--cap-drop',
  'ALL',
  '--ro-bind',
  '/',
  '/',
  '--dev',
  '/dev',
  '--proc',
  '/proc',
  ...KERNEL.flatMap((path) => ['--ro-bind-try', path, path]),
];

export const bwrapArguments = (mounts: readonly Mount[], cwd: string): string[] => [
  ...BASE,
  ...mounts.flatMap(mountArguments),
  '--chdir',
  cwd,
];

function mountArguments(mount: Mount): string[] {
  switch (mount.kind) {
    case 'empty':
      return ['--tmpfs', mount.path];
    case 'blank':
      return ['--ro-bind', '/dev/null', mount.path];
    case 'link':
      return ['--symlink', mount.to, mount.path];
    case 'read':
      return ['--ro-bind-try', mount.from ?? mount.path, mount.path];
    case 'write':
      return ['--bind-try', mount.from ?? mount.path, mount.path];
  }
}
