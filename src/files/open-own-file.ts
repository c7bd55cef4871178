import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/**
 * A file of a session, whose agent can write where it lies. A pipe in its place would be waited for, and the threads that wait are all that
 * there are; a link would lead to what is nobody's business. Null where there is no file, or none yet.
 */
export async function openOwnFile(path: string): Promise<FileHandle | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW).catch(
    noFile,
  );
  if (file === null || (await file.stat()).isFile()) return file;
  await file.close();
  return null;
}

/** ELOOP: a link. ENXIO: a socket. */
function noFile(error: NodeJS.ErrnoException): null {
  if (['ENOENT', 'ELOOP', 'ENXIO'].includes(error.code ?? '')) return null;
  throw error;
}
