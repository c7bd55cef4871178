// Reads and writes objects of git as the files that they are: a process of git takes milliseconds, and a session waits for several.
// Whatever is not such a file, because it is packed, large or damaged, git itself reads.
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';
import type { Git } from './git.ts';
import { findGit } from './git-directory.ts';

type Kind = 'blob' | 'tree' | 'commit';

/** A session changes a few small files. For more, one process of git is the better way. */
const MAX_OBJECTS = 64;
const MAX_BYTES = 2 * 2 ** 20;

/** The content of each object; null if one of them is no such file, or if they are many or large. */
export function readLooseObjects(
  repository: Git,
  kind: Kind,
  hashes: readonly string[],
): Map<string, Buffer> | null {
  const folder = objectFolder(repository);
  if (folder === null || hashes.length > MAX_OBJECTS) return null;
  const contents = new Map<string, Buffer>();
  let left = MAX_BYTES;
  for (const hash of hashes) {
    const content = readLoose(folder, kind, hash, left);
    if (content === null) return null;
    left -= content.length;
    contents.set(hash, content);
  }
  return contents;
}

function readLoose(folder: string, kind: Kind, hash: string, maxBytes: number): Buffer | null {
  try {
    const whole = inflateSync(readFileSync(objectFile(folder, hash)), { maxOutputLength: maxBytes });
    // An agent may be able to write there.
    if (digest(whole, hash.length) !== hash) return null;
    const at = whole.indexOf(0);
    return whole.toString('latin1', 0, at).startsWith(`${kind} `) ? whole.subarray(at + 1) : null;
  } catch {
    return null;
  }
}

/** On disk when it returns, like all that Ralph writes to git. Null if git has to do it. */
export function writeLooseCommit(repository: Git, content: string, hashLength: number): string | null {
  const folder = objectFolder(repository);
  if (folder === null || isShared(folder)) return null;
  const body = Buffer.from(content, 'utf8');
  const whole = Buffer.concat([Buffer.from(`commit ${body.length}\0`), body]);
  const hash = digest(whole, hashLength);
  const file = objectFile(folder, hash);
  if (existsSync(file)) return hash;
  // As git names them: what a killed process leaves of it is found and removed.
  const partial = join(dirname(file), `tmp_obj_${crypto.randomUUID()}`);
  try {
    mkdirSync(dirname(file), { recursive: true });
    const descriptor = openSync(partial, 'wx', 0o444);
    try {
      writeFileSync(descriptor, deflateSync(whole));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(partial, file);
    return hash;
  } catch {
    rmSync(partial, { force: true });
    return null;
  }
}

function objectFolder({ root, overrides }: Git): string | null {
  const own = overrides?.['GIT_OBJECT_DIRECTORY'];
  if (own !== undefined || overrides?.['GIT_DIR'] !== undefined) return own ?? null;
  const found = findGit(root);
  return found === null ? null : join(found.commonDir, 'objects');
}

const objectFile = (folder: string, hash: string): string => join(folder, hash.slice(0, 2), hash.slice(2));

/** Whether the repository has it as such a file. */
export function isLoose({ root }: Pick<Git, 'root'>, hash: string): boolean {
  const found = findGit(root);
  return found !== null && existsSync(objectFile(join(found.commonDir, 'objects'), hash));
}

/** Whether others of its group read or write there: then git sets the rights of each file (`core.sharedRepository`). */
export const isShared = (folder: string): boolean => (statSync(folder).mode & 0o2022) !== 0;

const SHA256_DIGITS = 64;

const digest = (whole: Buffer, digits: number): string =>
  createHash(digits === SHA256_DIGITS ? 'sha256' : 'sha1')
    .update(whole)
    .digest('hex');

/** Git looks at as many bytes to decide whether a file is text. */
const TEXT_PROBE_BYTES = 8_000;

export const isText = (content: Buffer): boolean => !content.subarray(0, TEXT_PROBE_BYTES).includes(0);
