// Makes the state private. Older versions left prompts, streams and answers readable to every user of the machine.
import { chmodSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../files/read-text.ts';

const OTHERS = 0o077;
/** The mode of files in the state. */
export const PRIVATE_FILE = 0o600;

/** Checks the folder only: if it is closed, no other user reaches its files. */
export function makePrivate(stateDir: string): void {
  const found = lstatSync(stateDir, { throwIfNoEntry: false });
  if (!found?.isDirectory() || (found.mode & OTHERS) === 0) return;
  try {
    closeAll(stateDir);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // In a shared repository another user's state stays as it is. If another process removes its temporary files meanwhile,
    // the next command closes the rest.
    if (!['EPERM', 'ENOENT', 'EACCES', 'EROFS'].includes(code)) throw error;
  }
}

/** The folder itself comes last: after a kill half-way the next command starts again. */
function closeAll(folder: string): void {
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) closeAll(path);
    // Never through a link: its target is not part of the state.
    else if (found?.isFile()) close(path);
  }
  close(folder);
}

/** Removes other users' permissions only: what the owner may not write stays so. */
function close(path: string): void {
  chmodSync(path, lstatSync(path).mode & 0o777 & ~OTHERS);
}
