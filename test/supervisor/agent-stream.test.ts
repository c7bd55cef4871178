import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { maskSecrets } from '../../src/domain/secrets/mask-secrets.ts';
import { readEntries } from '../../src/domain/transcript/transcript.ts';
import { start } from '../../src/host/processes/spawn.ts';
import { AgentStream, STREAM_LIMITS } from '../../src/supervisor/agents/agent-stream.ts';
import { tempDir } from '../support/temp.ts';

const SECRET = 'a-secret-of-somebody';

/** What is left of the output of a shell line. */
async function keep(script: string, limits: Partial<typeof STREAM_LIMITS> = {}) {
  const folder = tempDir();
  const path = join(folder, 'stream.jsonl');
  const mask = { mask: maskSecrets({ API_KEY: SECRET }), overlap: 1_000 };
  const stream = new AgentStream(path, mask, { ...STREAM_LIMITS, ...limits });
  const lines: string[] = [];
  const onFailure = (failure: Error): never => {
    throw failure;
  };
  await stream.keep(
    start('sh', ['-c', script], { cwd: folder, env: { PATH: process.env['PATH'], SECRET } }),
    { onOutput: () => {}, onLine: (line) => lines.push(line), onFailure },
  );
  stream.close({ onFailure });
  return {
    lines,
    stored: readFileSync(path, 'utf8'),
    errors: readFileSync(join(folder, 'stream.stderr'), 'utf8'),
  };
}

it('the stream parses and stores every line, even a last one without its line feed', async () => {
  const { lines, stored } = await keep(`echo one; echo; printf "ü $SECRET"`);
  // What is not stored is not heard either.
  expect(lines).toEqual(['one', '', 'ü <masked>']);
  expect(stored).toBe('one\n\nü <masked>\n');
});

it('the stream parses a line of 50 MB, which Claude Code has printed', async () => {
  const { lines } = await keep('head -c 50000000 /dev/zero | tr "\\0" x');
  expect(lines.map(({ length }) => length)).toEqual([50_000_000]);
});

it('the stream stores the two ends of a line that is too long, and parses the lines around it', async () => {
  const long = 'printf "head $SECRET"; head -c 2000000 /dev/zero | tr "\\0" x; printf "$SECRET tail"';
  const { lines, stored } = await keep(`echo before; ${long}; echo; echo after`, { lineCharacters: 100_000 });
  expect(lines).toEqual(['before', 'after']);
  const [before, cut = '', after, ...more] = stored.split('\n');
  expect([before, after, more]).toEqual(['before', 'after', ['']]);
  expect(JSON.parse(cut)).toMatchObject({
    type: 'system',
    head: expect.stringMatching(/^head <masked>x+$/),
    tail: expect.stringMatching(/^x+<masked> tail$/),
  });
  expect(readEntries(cut)).toEqual([
    { kind: 'note', text: 'Ralph dropped a line of 2000050 characters but for its two ends.' },
  ]);
  expect(cut.length).toBeLessThan(140_000);
});

it('the stream stores the two ends of a last line that is too long and has no line feed', async () => {
  const { lines, stored } = await keep('head -c 300000 /dev/zero | tr "\\0" x', { lineCharacters: 100_000 });
  expect(lines).toEqual([]);
  expect(stored).toContain('Ralph dropped a line of 300000 characters');
});

it('a stream beyond its limit is parsed to its end, and says how much of it is not stored', async () => {
  const { lines, stored } = await keep('echo one; echo three; echo 2; echo end', { streamBytes: 8 });
  expect(lines).toEqual(['one', 'three', '2', 'end']);
  const [first, note = '', ...more] = stored.split('\n');
  expect([first, more]).toEqual(['one', ['']]);
  expect(readEntries(note)).toEqual([
    {
      kind: 'note',
      text: 'Ralph stored the first 4 bytes of this stream and dropped the other 12.',
    },
  ]);
});

it('the stream stores the first and the last part of too much standard error', async () => {
  const script = '{ echo first; head -c 5000 /dev/zero | tr "\\0" e; echo; echo last; } >&2';
  const { errors } = await keep(script, { stderrBytes: 1_000 });
  expect(errors).toMatch(/^first\ne+\n\(Ralph dropped 4012 bytes of output here\.\)\ne+\nlast\n$/);
});

it('a secret in standard error is masked, even if it arrives in two parts', async () => {
  const { errors } = await keep('{ printf a-secret-; sleep 0.1; echo of-somebody; } >&2');
  expect(errors).toBe('<masked>\n');
});
