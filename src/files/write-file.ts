import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { MachineFailed } from '../domain/refusal.ts';

export type WriteOptions = {
  mode?: number;
  /** False for what is of no use once the machine has gone down: flushing it would only cost time. */
  isDurable?: boolean;
};

/** The old file or the new one, never a part: written beside, flushed, renamed. */
export async function writeFileWhole(
  path: string,
  text: string | Buffer,
  { mode = 0o666, isDurable = true }: WriteOptions = {},
): Promise<void> {
  const { randomUUID } = await import('node:crypto');
  // A name nobody can have laid a link under, opened only if it is new.
  const partial = `${path}.${randomUUID()}.part`;
  try {
    await mkdir(dirname(path), { recursive: true });
    const file = await open(partial, 'wx', mode);
    try {
      await file.writeFile(text);
      if (isDurable) await file.sync();
    } finally {
      await file.close();
    }
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    throw new MachineFailed(
      `${path} cannot be written (${(error as NodeJS.ErrnoException).code}); check the folder.`,
      { cause: error },
    );
  }
}
