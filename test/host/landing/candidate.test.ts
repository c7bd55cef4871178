import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findMarkers } from '../../../src/host/landing/candidate.ts';
import { slotRepository } from '../../support/slots.ts';

const MARKER = `<<<<<<< ${'a'.repeat(40)}`;

it.each([
  { file: 'with LF', content: `a\n${MARKER}\nb\n`, isFound: true },
  // So git writes them into a file with CRLF.
  { file: 'with CRLF', content: `a\r\n${MARKER}\r\nb\r\n`, isFound: true },
  { file: 'that ends with one', content: `a\n${MARKER}`, isFound: true },
  { file: 'that is latin1', content: `\xe9\n${MARKER}\n`, isFound: true },
  {
    file: 'with a NUL after the bytes that git looks at',
    content: `${'a'.repeat(9_000)}\0\n${MARKER}\n`,
    isFound: true,
  },
  { file: 'that is binary', content: `\0\n${MARKER}\n`, isFound: false },
  { file: 'with CR alone', content: `a\r${MARKER}\rb\n`, isFound: false },
  { file: 'with words behind it', content: `${MARKER} of old\n`, isFound: false },
])('Ralph and git agree about a conflict marker in a file $file', async ({ content, isFound }) => {
  const one = await slotRepository();
  const tip = one.git('rev-parse', 'HEAD');
  writeFileSync(join(one.top, 'merged.txt'), Buffer.from(content, 'latin1'));
  one.git('add', 'merged.txt');
  const tree = one.git('write-tree');
  expect((await findMarkers(one.place, { tip, tree })) !== null).toBe(isFound);
  one.git('commit', '-qm', 'Merge');
  // What is packed, git looks through.
  one.git('gc', '-q');
  expect((await findMarkers(one.place, { tip, tree })) !== null).toBe(isFound);
});
