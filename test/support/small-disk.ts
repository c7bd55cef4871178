// A disk of a test's own, which is full as soon as the test wants: a file system in memory, in a mount namespace without root.
import { spawnSync } from 'node:child_process';

const ENTER = ['unshare', '--map-root-user', '--mount', 'sh', '-c'] as const;

/** Mounts the disk, runs the command, and writes down which files are on the disk then. */
const SCRIPT = `mount -t tmpfs -o "$1" none "$2" || exit 99
disk=$2; shift 2
"$@"; code=$?
(cd "$disk" && find . -type f -o -type d -empty) | sort > "$disk.left"
exit $code`;

/** `options`: of tmpfs, such as `size=1m`. What is on the disk at the end is in `FOLDER.left`. */
export const onSmallDisk = (folder: string, options: string, command: readonly string[]): string[] => [
  ...ENTER,
  SCRIPT,
  'sh',
  options,
  folder,
  ...command,
];

/** Null if a test can have a disk of its own here. */
export const whyNoSmallDisk = (): string | null =>
  spawnSync(ENTER[0], [...ENTER.slice(1), 'mount -t tmpfs none /mnt']).status === 0
    ? null
    : 'this system lets no user mount a file system in memory (unshare --map-root-user --mount)';
