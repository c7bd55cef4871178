import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type EntryRow, entryGroups, entryRow } from '../../../src/domain/transcript/entry.ts';
import { readEntries } from '../../../src/domain/transcript/transcript.ts';
import { openStreams, type Row, type Streams } from '../../../src/project/transcript/streams.ts';
import { makeTempDir, tempDir } from '../../support/temp.ts';
import { tries } from '../../support/tries.ts';

const patiently = { waitMs: 60_000 };
const never = new AbortController().signal;

const assistant = (...content: object[]) => JSON.stringify({ type: 'assistant', message: { content } });
const said = (text: string) => assistant({ type: 'text', text });
const answered = (content: string, is_error = false) =>
  JSON.stringify({ type: 'user', message: { content: [{ type: 'tool_result', content, is_error }] } });

const bare = (rows: readonly Row[]): EntryRow[] =>
  rows.map(({ kind, isWrong, line }) => ({ kind, isWrong, line }));
const shown = (line: string): EntryRow[] => readEntries(line).map(entryRow);

async function everything(streams: Streams, place: { path: string; isOver: boolean }): Promise<EntryRow[]> {
  const { count } = await streams.state(place);
  return bare(await streams.rows(place, null, 0, count + 1));
}

/** Characters of one to four bytes, so that some of them lie across every border. */
const words = fc.string({ unit: fc.constantFrom('a', 'é', '€', '𝄞', '"', '\\', ' '), maxLength: 40 });
const line = fc.oneof(
  words,
  fc.constant(''),
  words.map(said),
  fc
    .array(words, { maxLength: 4 })
    .map((texts) => assistant(...texts.map((text) => ({ type: 'text', text })))),
  words.map((path) => assistant({ type: 'tool_use', name: 'Edit', input: { file_path: path } })),
  fc.tuple(words, fc.boolean()).map(([text, is_error]) => answered(text, is_error)),
);

it('the index finds every entry, however the file grows and in whatever pieces it is read', async () => {
  const folder = makeTempDir();
  let files = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 12 }),
      fc.array(fc.nat(), { maxLength: 5 }),
      fc.integer({ min: 1, max: 64 }),
      fc.boolean(),
      async (lines, cuts, chunkBytes, hasEnd) => {
        const place = { path: join(folder, String(files++)), isOver: false };
        const bytes = Buffer.from(lines.join('\n') + (hasEnd ? '\n' : ''));
        const streams = openStreams({ ...patiently, chunkBytes });
        let written = 0;
        for (const cut of [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort(
          (a, b) => a - b,
        )) {
          appendFileSync(place.path, bytes.subarray(written, cut));
          written = cut;
          const whole = bytes.subarray(0, bytes.subarray(0, cut).lastIndexOf(10) + 1).toString();
          expect(await everything(streams, place)).toEqual(whole.split('\n').flatMap(shown));
        }
        const all = lines.flatMap(readEntries);
        expect(await everything(streams, { ...place, isOver: true })).toEqual(all.map(entryRow));
        for (const only of ['text', 'tools', 'errors'] as const) {
          const some = all.filter((entry) => entryGroups(entry).includes(only));
          expect(bare(await streams.rows(place, only, 1, 3))).toEqual(some.slice(1, 4).map(entryRow));
        }
        // Somebody who writes on behind a last line without an end makes one line of both.
        appendFileSync(place.path, 'more\n');
        const more = `${bytes.toString()}more`;
        expect(await everything(streams, place)).toEqual(more.split('\n').flatMap(shown));
      },
    ),
    { numRuns: tries(60) },
  );
  rmSync(folder, { recursive: true });
});

it('the index starts over when a shorter file or another file takes the place of the stream', async () => {
  const place = { path: join(tempDir(), 'stream.jsonl'), isOver: false };
  const streams = openStreams(patiently);
  expect(await streams.state(place)).toMatchObject({ size: null, count: 0 });
  writeFileSync(place.path, `${said('one')}\n${said('two')}\n`);
  expect(await streams.state(place)).toMatchObject({ count: 2, progress: { turns: 2 } });
  writeFileSync(place.path, 'short\n');
  expect(await everything(streams, place)).toEqual(shown('short'));
  writeFileSync(`${place.path}.new`, `${said('a longer one than before')}\n`);
  renameSync(`${place.path}.new`, place.path);
  expect(await everything(streams, place)).toEqual(shown(said('a longer one than before')));
  rmSync(place.path);
  expect(await streams.state(place)).toMatchObject({ size: null });
  expect(await streams.rows(place, null, 0, 9)).toEqual([]);
});

it('the index reports the same progress of a session as the run that watches it', async () => {
  const path = join(tempDir(), 'stream.jsonl');
  const usage = { input_tokens: 10, cache_read_input_tokens: 1_000, output_tokens: 5 };
  const block = (id: string, content: object) =>
    JSON.stringify({ type: 'assistant', message: { id, usage, content: [content] } });
  const lines = [
    JSON.stringify({ type: 'system', subtype: 'init', model: 'claude-haiku-4-5' }),
    block('a', { type: 'text', text: 'First I look.' }),
    block('a', { type: 'tool_use', name: 'Read', input: { file_path: 'a.ts' } }),
    answered('text'),
    block('b', { type: 'tool_use', name: 'mcp__ralph__done', input: { summary: 'Built.' } }),
    block('c', { type: 'text', text: 'Finished.' }),
  ];
  writeFileSync(path, `${lines.join('\n')}\n`);
  const { progress } = await openStreams(patiently).state({ path, isOver: true });
  expect(progress).toMatchObject({
    turns: 3,
    action: { text: 'ralph done Built.' },
    model: 'claude-haiku-4-5',
    input_tokens: 3_030,
    output_tokens: 15,
  });
});

it('a search in a stream ignores case, looks beyond the shown row, and matches the text and not its JSON escapes', async () => {
  const path = join(tempDir(), 'stream.jsonl');
  const lines = [
    said('Straße "quoted" ÄPFEL'),
    answered(`${'x'.repeat(5_000)} the Needle`, true),
    assistant({ type: 'tool_use', name: 'mcp__ralph__done', input: { summary: 's', other: 'hidden word' } }),
    'a plain line with a [bracket.*',
    '{"type":"assistant","message":{"content":[{"type":"text","text":"caf\\u00e9"}]}}',
  ];
  writeFileSync(path, lines.join('\n'));
  const place = { path, isOver: true };
  const streams = openStreams(patiently);
  const find = async (text: string, from = 0) =>
    (await streams.find(place, { text, only: null, from }, never)).found;
  expect(await find('"QUOTED" äpfel')).toEqual([0]);
  expect(await find('the needle')).toEqual([1]);
  expect(await find('hidden WORD')).toEqual([2]);
  expect(await find('ralph done')).toEqual([2]);
  expect(await find('[bracket.*')).toEqual([3]);
  expect(await find('CAFÉ')).toEqual([4]);
  expect(await find('needle', 2)).toEqual([]);
  expect(await find('message')).toEqual([]);
  expect(await streams.find(place, { text: 'needle', only: 'errors', from: 0 }, never)).toEqual({
    found: [0],
    next: 1,
    count: 1,
  });
  expect(await streams.find(place, { text: 'a', only: null, from: 0 }, AbortSignal.abort())).toMatchObject({
    found: [],
    next: 0,
  });
});

it('a whole entry has up to a million characters, and endless nesting does not break it', async () => {
  const path = join(tempDir(), 'stream.jsonl');
  const deep = `{"type":"system","subtype":"init","a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
  const lines = [
    answered('y'.repeat(1_500_000)),
    assistant({ type: 'tool_use', name: 'Edit', input: { file_path: 'a.ts', edits: [{ to: 'b' }] } }),
    deep,
  ];
  writeFileSync(path, lines.join('\n'));
  const place = { path, isOver: true };
  const streams = openStreams(patiently);
  const { fields = [], left_out } = (await streams.whole(place, 0)) ?? {};
  expect([fields[0]?.text.length, left_out]).toEqual([1_000_000, 500_000]);
  expect(await streams.whole(place, 1)).toMatchObject({
    fields: [
      { name: 'file_path', text: 'a.ts' },
      { name: 'edits', text: JSON.stringify([{ to: 'b' }], null, 2) },
    ],
  });
  expect((await streams.whole(place, 2))?.fields[2]).toMatchObject({ name: 'a' });
  expect(await streams.whole(place, 3)).toBeNull();
});
