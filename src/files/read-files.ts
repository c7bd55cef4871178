import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContextFile } from '../domain/context.ts';
import { type Found, findFiles } from './find-files.ts';

/** What a person would not read either. */
const MAX_FILE_BYTES = 200 * 1024;
const MAX_FILES = 400;
const AT_ONCE = 16;
const MAX_TOTAL_BYTES = 8 * 1024 * 1024;

export type NamedFiles = { level: ContextFile['level']; patterns: readonly string[] };

/** Every file once, under the level that named it first. */
export async function readContextFiles(
  root: string,
  named: readonly NamedFiles[],
  isSecret: (path: string) => boolean,
): Promise<ContextFile[]> {
  const found = await Promise.all(
    named.flatMap(({ level, patterns }) =>
      patterns.map(async (pattern) => (await findFiles(root, pattern)).map((one) => ({ level, found: one }))),
    ),
  );
  const unique = new Map(
    found
      .flat()
      .reverse()
      .map((one) => [one.found.path, one]),
  );
  const chosen = [...unique.values()].reverse();
  let left = MAX_TOTAL_BYTES;
  const files: ContextFile[] = [];
  const wanted = chosen.slice(0, MAX_FILES);
  for (let start = 0; start < wanted.length; start += AT_ONCE) {
    const batch = wanted.slice(start, start + AT_ONCE);
    const contents = await Promise.all(
      batch.map(({ found: one }) =>
        left <= 0 ? withheld('the prompt has enough files') : contentOf(root, one, isSecret),
      ),
    );
    for (const [index, content] of contents.entries()) {
      const one = batch[index];
      if (content.kind === 'text') left -= content.text.length;
      if (one !== undefined) files.push({ path: one.found.path, level: one.level, content });
    }
  }
  return files;
}

const withheld = (reason: string): ContextFile['content'] => ({ kind: 'withheld', reason });

/** What may be shown of a file that was found. */
export async function contentOf(
  root: string,
  found: Found,
  isSecret: (path: string) => boolean,
): Promise<ContextFile['content']> {
  if (found.kind === 'missing') return { kind: 'missing' };
  const reason = withheldBecause(found, isSecret);
  return reason === null ? readBounded(join(root, found.path)) : withheld(reason);
}

/** Why it must not be shown, in a few words; null where it may be. */
export function withheldBecause(found: Found, isSecret: (path: string) => boolean): string | null {
  if (found.kind === 'missing') return 'not there';
  if (found.kind === 'withheld') return found.reason;
  return isSecret(found.path) || isSecret(found.real) ? 'may hold secrets' : null;
}

async function readBounded(path: string): Promise<ContextFile['content']> {
  // Non-blocking: a pipe that took the file's place must not hold the prompt up.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null);
  if (file === null) return withheld('cannot be read');
  try {
    const { size } = await file.stat();
    if (size > MAX_FILE_BYTES) return withheld(`too large: ${Math.round(size / 1024)} KB`);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_FILE_BYTES), 0, MAX_FILE_BYTES, 0);
    const bytes = buffer.subarray(0, bytesRead);
    return bytes.includes(0) ? withheld('binary') : { kind: 'text', text: decode(bytes) };
  } catch {
    return withheld('cannot be read');
  } finally {
    await file.close();
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Any sequence of bytes is text in this encoding, and most text that is not UTF-8 is in it.
    return new TextDecoder('latin1').decode(bytes);
  }
}

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
