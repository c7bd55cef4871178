// State of older versions was readable by every user of the machine: prompts, streams and answers are the owner's alone.
import { chmodSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../files/read-text.ts';

const OTHERS = 0o077;
/** For what lies in the state. */
export const PRIVATE_FILE = 0o600;

/** Looks at the folder only: where that is closed, nobody else reaches what lies in it. */
export function makePrivate(stateDir: string): void {
  const found = lstatSync(stateDir, { throwIfNoEntry: false });
  if (!found?.isDirectory() || (found.mode & OTHERS) === 0) return;
  try {
    closeAll(stateDir);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // Another user's state, in a repository that several share, stays as that user has it. Where another process removes its
    // temporary files meanwhile, the next command closes the rest.
    if (!['EPERM', 'ENOENT', 'EACCES', 'EROFS'].includes(code)) throw error;
  }
}

/** The folder itself last: after a kill on the way, the next command begins again. */
function closeAll(folder: string): void {
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) closeAll(path);
    // Never through a link: what it leads to is not the state's.
    else if (found?.isFile()) close(path);
  }
  close(folder);
}

/** Nothing is opened: what the owner may not write stays so. */
function close(path: string): void {
  chmodSync(path, lstatSync(path).mode & 0o777 & ~OTHERS);
}
