import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Git, git, headCommit } from './git.ts';
import { findGit } from './git-directory.ts';

/** Whether HEAD has exactly these files below the folder, with the content that they have on disk. False without git. */
export async function isAsCommitted(
  repository: Git,
  folder: string,
  files: readonly string[],
): Promise<boolean> {
  if (findGit(repository.root) === null || (await headCommit(repository)) === null) return false;
  const { stdout } = await git(repository, ['ls-tree', '-r', '-z', 'HEAD', '--', `${folder}/`]);
  const committed = new Map(
    stdout
      .split('\0')
      .slice(0, -1)
      .map((entry) => {
        const [facts = '', path = ''] = entry.split('\t');
        return [path, facts] as const;
      }),
  );
  if (committed.size !== files.length) return false;
  for (const file of files) {
    const [mode, , hash = ''] = (committed.get(file) ?? '').split(' ');
    if (mode?.startsWith('100') !== true) return false;
    if (blobHash(await readFile(join(repository.root, file)), hash.length) !== hash) return false;
  }
  return true;
}

const SHA256_DIGITS = 64;

const blobHash = (content: Buffer, digits: number): string =>
  createHash(digits === SHA256_DIGITS ? 'sha256' : 'sha1')
    .update(`blob ${content.length}\0`)
    .update(content)
    .digest('hex');
