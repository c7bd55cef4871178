import { type Git, GitFailed, git } from './git.ts';
import { readLooseObjects } from './loose-objects.ts';

/** Reads smaller objects together and larger ones one by one, so that neither processes nor memory pile up. */
const SMALL_BYTES = 2 ** 20;
const TOGETHER = 64;

/** A task seldom changes more than this, and then one process reads all of it. */
const FEW_BYTES = 16 * SMALL_BYTES;

/** The returned reader is fastest if it is called in the order of `hashes`. */
export async function objectReader(
  repository: Git,
  hashes: readonly string[],
): Promise<(hash: string) => Promise<Buffer>> {
  const unique = [...new Set(hashes)];
  let known = readLooseObjects(repository, 'blob', unique) ?? (await readFew(repository, unique));
  const small = known === null ? await findSmall(repository, unique) : [];
  return async (hash) => {
    if (known?.has(hash) !== true) {
      const at = small.indexOf(hash);
      known = await read(repository, at < 0 ? [hash] : small.slice(at, at + TOGETHER));
    }
    return known.get(hash) ?? missing(hash);
  };
}

/** Null if they are many or large. */
async function readFew(repository: Git, hashes: readonly string[]): Promise<Map<string, Buffer> | null> {
  if (hashes.length === 0 || hashes.length > TOGETHER) return null;
  try {
    return await read(repository, hashes, FEW_BYTES);
  } catch (error) {
    if (error instanceof GitFailed) return null;
    throw error;
  }
}

const lines = (words: readonly string[]): string => words.map((word) => `${word}\n`).join('');

/** The bytes of each object that the repository has. */
export async function objectSizes(
  repository: Git,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (hashes.length === 0) return new Map();
  const { stdout } = await git(repository, ['cat-file', '--batch-check'], { input: lines(hashes) });
  const found = stdout.split('\n').map((line) => line.split(' '));
  return new Map(found.flatMap(([hash = '', , size]) => (size === undefined ? [] : [[hash, Number(size)]])));
}

async function findSmall(repository: Git, hashes: readonly string[]): Promise<string[]> {
  const sizes = await objectSizes(repository, hashes);
  return [...sizes].flatMap(([hash, size]) => (size <= SMALL_BYTES ? [hash] : []));
}

async function read(
  repository: Git,
  hashes: readonly string[],
  maxOutputBytes?: number,
): Promise<Map<string, Buffer>> {
  const options = { input: lines(hashes), ...(maxOutputBytes !== undefined && { maxOutputBytes }) };
  const { stdout } = await git(repository, ['cat-file', '--batch'], options);
  const contents = new Map<string, Buffer>();
  // Each as `<hash> <type> <size>`, a line feed, the content, a line feed.
  for (let at = 0; at < stdout.length; ) {
    const end = stdout.indexOf('\n', at);
    const [hash = '', , size] = stdout.slice(at, end).split(' ');
    if (size === undefined) missing(hash);
    const content = stdout.slice(end + 1, end + 1 + Number(size));
    contents.set(hash, Buffer.from(content, 'latin1'));
    at = end + 1 + content.length + 1;
  }
  return contents;
}

function missing(hash: string): never {
  throw new GitFailed(`Git has lost the object ${hash}; look at git fsck.`);
}
