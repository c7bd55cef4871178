import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CHUNK_BYTES, gateLogName } from '../../../src/domain/sessions/artifact.ts';
import { artifactsHere, openArtifactFile } from '../../../src/host/artifacts/artifact-file.ts';
import { sessionDir } from '../../../src/host/session-folder.ts';
import { tempDir } from '../../support/temp.ts';
import { tries } from '../../support/tries.ts';

const KEPT = { head: CHUNK_BYTES, tail: CHUNK_BYTES / 2 };
const NOTE = 'left out 7 bytes';

const write = (state: string, name: string, content: Uint8Array | string): void => {
  const path = join(sessionDir(state, 's1'), name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
};

/** All chunks, one after another. */
async function readAll(state: string, name: string, isFinal: boolean): Promise<Buffer> {
  const file = await openArtifactFile(state, 's1', name, { isFinal, note: () => NOTE, kept: KEPT });
  if (file === null) throw new Error(`no ${name}`);
  const chunks: Buffer[] = [];
  for (let seq = 0; seq < file.count; seq++) chunks.push(await file.readChunk(seq));
  await file.close();
  expect(chunks.slice(0, -1).every(({ length }) => length === CHUNK_BYTES)).toBe(true);
  return Buffer.concat(chunks);
}

it('the chunks of a file are its bytes, and of a long one its two ends with a sentence between', async () => {
  const state = tempDir();
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 3 * CHUNK_BYTES }), fc.boolean(), async (size, isFinal) => {
      const bytes = Buffer.from(Array.from({ length: size }, (_, index) => (index * 31) % 256));
      write(state, 'stream.jsonl', bytes);
      const { head, tail } = KEPT;
      const isCut = size > head + (isFinal ? tail : 0);
      const middle = isFinal ? [Buffer.from(`\n${NOTE}\n`), bytes.subarray(-tail)] : [];
      const expected = isCut ? Buffer.concat([bytes.subarray(0, head), ...middle]) : bytes;
      expect((await readAll(state, 'stream.jsonl', isFinal)).equals(expected)).toBe(true);
    }),
    { numRuns: tries(30) },
  );
});

it('only the known files of a session are shared: no tokens, no links, nothing that an agent put there', async () => {
  const [state, outside] = [tempDir(), tempDir()];
  writeFileSync(join(outside, 'test.log'), 'private');
  const shared = [
    'gates-before/test.log',
    'gates/test.log',
    'prompt.md',
    'review/stream.jsonl',
    'stream.stderr',
  ];
  for (const name of [...shared, 'mcp.json', 'shared', 'gates/.env', 'notes/test.log', 'prompt.md.part'])
    write(state, name, 'x');
  symlinkSync(join(outside, 'test.log'), join(sessionDir(state, 's1'), 'stream.jsonl'));
  symlinkSync(outside, join(sessionDir(state, 's1'), 'gates-merge'));
  expect(await artifactsHere(state, 's1')).toEqual(shared);
  const options = { isFinal: true, note: () => NOTE };
  expect(await openArtifactFile(state, 's1', 'gates-merge/test.log', options)).toBe(null);
  expect(await openArtifactFile(state, 's1', 'stream.jsonl', options)).toBe(null);
});

it('the log of a gate is found by the path that another machine gave it, and no path leads out of the session', () => {
  const name = (path: string): string | null => gateLogName('s1', path);
  expect(name('/home/other/shop/.git/ralph/sessions/s1/gates/test.log')).toBe('gates/test.log');
  expect(name('/x/sessions/s1/gates/../../s2/prompt.md')).toBe(null);
  expect(name('/x/sessions/s2/gates/test.log')).toBe(null);
});
