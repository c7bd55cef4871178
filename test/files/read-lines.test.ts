import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openOwnFile } from '../../src/files/own-file.ts';
import { readFileEnd, readLines } from '../../src/files/read-lines.ts';
import { tempDir } from '../support/temp.ts';

async function all(lines: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = [];
  for await (const line of lines) found.push(line);
  return found;
}

/** Does one thing before each further reading, and ends after the last. */
function steps(...work: (() => void)[]): () => Promise<boolean> {
  const left = [() => {}, ...work];
  return async () => {
    left.shift()?.();
    return left.length === 0;
  };
}

it('the reader returns every line whole, wherever a chunk ended, and the last one without its line feed', async () => {
  const file = join(tempDir(), 'stream');
  // Three bytes a character, so that some of them lie across the borders of what is read at once.
  const lines = ['€'.repeat(300_000), '', 'short', '€'.repeat(100_001), 'the last'];
  writeFileSync(file, lines.join('\n'));
  expect(await all(readLines(file))).toEqual(lines);
});

it('the reader returns no line of a file that does not exist', async () => {
  expect(await all(readLines(join(tempDir(), 'nothing')))).toEqual([]);
});

it('the reader waits for no FIFO and follows no link in the place of a file', async () => {
  const [folder, secret] = [tempDir(), join(tempDir(), 'secret')];
  writeFileSync(secret, 'a key\n');
  symlinkSync(secret, join(folder, 'link'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  mkdirSync(join(folder, 'folder'));
  for (const name of ['link', 'pipe', 'folder']) {
    expect({ name, lines: await all(readLines(join(folder, name))) }).toEqual({ name, lines: [] });
    expect(await readFileEnd(() => openOwnFile(join(folder, name)), 100)).toBe(null);
  }
});

it('the reader continues as a file grows, even in the middle of a line, and waits for a file that comes late', async () => {
  const file = join(tempDir(), 'stream');
  const lines = readLines(
    file,
    steps(
      () => writeFileSync(file, 'one\ntw'),
      () => appendFileSync(file, 'o\nthree'),
      () => appendFileSync(file, '\n'),
    ),
  );
  expect(await all(lines)).toEqual(['one', 'two', 'three']);
});

it('the reader starts again if a shorter file took the place of the first', async () => {
  const file = join(tempDir(), 'stream');
  writeFileSync(file, 'a long line of the old file\nand its re');
  writeFileSync(`${file}.new`, 'new\n');
  const lines = readLines(
    file,
    steps(() => renameSync(`${file}.new`, file)),
  );
  expect(await all(lines)).toEqual(['a long line of the old file', 'new']);
});

it('the reader cuts a line that is too long, and continues after it', async () => {
  const file = join(tempDir(), 'stream');
  writeFileSync(file, `${'x'.repeat(40 * 1024 * 1024)}\nnext\n`);
  const [huge = '', next] = await all(readLines(file));
  expect(huge.length).toBeLessThan(33 * 1024 * 1024);
  expect(next).toBe('next');
});
