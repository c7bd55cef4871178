import { findFiles } from './find-files.ts';
import { withheldBecause } from './read-files.ts';

/** Those of them that are there and may be shown: what was touched once may be gone, or a secret. */
export async function fitFiles(
  root: string,
  paths: readonly string[],
  isSecret: (path: string) => boolean,
): Promise<ReadonlySet<string>> {
  const fit = new Set<string>();
  for (const path of paths) {
    const [found] = await findFiles(root, path);
    if (found?.kind === 'file' && withheldBecause(found, isSecret) === null) fit.add(path);
  }
  return fit;
}
