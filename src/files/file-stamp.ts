import { statSync } from 'node:fs';

/**
 * Changes whenever the file does; null if there is none. Synchronous on purpose: it stands before most commands and every session,
 * and a stat call takes less time than starting a thread.
 */
export function fileStamp(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? null : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
}
