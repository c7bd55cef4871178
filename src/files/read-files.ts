import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContextFile } from '../domain/context.ts';
import { type AcceptedFiles, acceptedContent } from './accepted-files.ts';
import { type FoundPath, findFiles } from './find-files.ts';

/** A person would not read a larger file either. */
const MAX_FILE_BYTES = 200 * 1024;
const MAX_FILES = 400;
const AT_ONCE = 16;
const MAX_TOTAL_BYTES = 8 * 1024 * 1024;

type NamedFiles = { level: ContextFile['level']; patterns: readonly string[] };

/** Every file once, under the level that named it first. */
export async function readContextFiles(
  root: string,
  named: readonly NamedFiles[],
  isSecret: (path: string) => boolean,
  accepted: AcceptedFiles = null,
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
        left <= 0 ? withheld('the prompt has enough files') : readFoundFile(root, one, isSecret, accepted),
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

/** What Ralph may show of a file. */
export async function readFoundFile(
  root: string,
  file: FoundPath,
  isSecret: (path: string) => boolean,
  accepted: AcceptedFiles = null,
): Promise<ContextFile['content']> {
  if (file.kind === 'missing') return { kind: 'missing' };
  const reason = withheldBecause(file, isSecret);
  if (reason !== null || file.kind !== 'file') return withheld(reason ?? 'not there');
  const content = acceptedContent(accepted, file.real);
  if (content === undefined) return readBounded(join(root, file.path));
  return content === null ? withheld('new, and not approved yet') : showBounded(content);
}

/** Why Ralph must not show a file, in a few words; null if it may. */
export function withheldBecause(file: FoundPath, isSecret: (path: string) => boolean): string | null {
  if (file.kind === 'missing') return 'not there';
  if (file.kind === 'withheld') return file.reason;
  return isSecret(file.path) || isSecret(file.real) ? 'may hold secrets' : null;
}

async function readBounded(path: string): Promise<ContextFile['content']> {
  // Non-blocking: a FIFO in the file's place must not block the prompt.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null);
  if (file === null) return withheld('cannot be read');
  try {
    const { size } = await file.stat();
    if (size > MAX_FILE_BYTES) return tooLarge(size);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_FILE_BYTES), 0, MAX_FILE_BYTES, 0);
    return showBounded(buffer.subarray(0, bytesRead));
  } catch {
    return withheld('cannot be read');
  } finally {
    await file.close();
  }
}

const tooLarge = (size: number): ContextFile['content'] =>
  withheld(`too large: ${Math.round(size / 1024)} KB`);

function showBounded(bytes: Uint8Array): ContextFile['content'] {
  if (bytes.length > MAX_FILE_BYTES) return tooLarge(bytes.length);
  return bytes.includes(0) ? withheld('binary') : { kind: 'text', text: decode(bytes) };
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Every sequence of bytes is valid Latin-1, and most text that is not UTF-8 uses it.
    return new TextDecoder('latin1').decode(bytes);
  }
}

/** The paths that exist and may be shown: a file that a session touched may be gone, or a secret. */
export async function showableFiles(
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
