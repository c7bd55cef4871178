import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CHUNK_BYTES } from '../../../src/domain/sessions/artifact.ts';
import { openArtifacts } from '../../../src/host/artifacts/artifacts.ts';
import {
  cutArtifact,
  knownChunks,
  removeOldArtifacts,
  saveChunks,
  storedArtifacts,
} from '../../../src/queue/sessions/artifacts.ts';
import { showSession } from '../../../src/queue/sessions/sessions.ts';
import { addTasks } from '../../../src/queue/tasks/add.ts';
import { openTestQueue, runSession } from '../../support/queue.ts';
import { tempDir } from '../../support/temp.ts';
import { tries } from '../../support/tries.ts';

it('any bytes that were saved are read back from any position, as from a file', async () => {
  const queue = await openTestQueue();
  await addTasks(queue, [{ title: 'One' }]);
  const { session_id } = await runSession(queue, [{ verb: 'done', summary: 'Built.' }]);
  const artifacts = openArtifacts(tempDir(), storedArtifacts(queue));
  const size = { min: 0, max: 2 * CHUNK_BYTES + 10 };
  await fc.assert(
    fc.asyncProperty(fc.integer(size), fc.integer(size), fc.integer(size), async (length, from, count) => {
      // With NUL and bytes that are no UTF-8.
      const bytes = Buffer.from(Array.from({ length }, (_, index) => (index * 37) % 256));
      await cutArtifact(queue, session_id, { name: 'stream.jsonl', seq: 0 });
      for (let seq = 0; seq * CHUNK_BYTES < length; seq++) {
        const chunk = bytes.subarray(seq * CHUNK_BYTES, (seq + 1) * CHUNK_BYTES);
        // It grows: the second write replaces the first.
        for (const part of [chunk.subarray(0, 1), chunk])
          await saveChunks(queue, session_id, [{ name: 'stream.jsonl', seq, bytes: part }]);
      }
      const file = await artifacts.open({ session_id }, 'stream.jsonl');
      if (length === 0) expect(file).toBe(null);
      if (file === null) return;
      expect((await file.stat()).size).toBe(length);
      const buffer = Buffer.alloc(count);
      const { bytesRead } = await file.read(buffer, 0, count, from);
      expect(buffer.subarray(0, bytesRead).equals(bytes.subarray(from, from + count))).toBe(true);
    }),
    { numRuns: tries(30) },
  );
});

it('the database forgets what a session printed after the time to keep it, and not a moment earlier', async () => {
  const queue = await openTestQueue();
  await addTasks(queue, [{ title: 'One' }, { title: 'Two' }, { title: 'Three' }]);
  const save = async (): Promise<string> => {
    const { session_id } = await runSession(queue, [{ verb: 'done', summary: 'Built.' }]);
    await saveChunks(queue, session_id, [{ name: 'prompt.md', seq: 0, bytes: Buffer.from('x') }]);
    return session_id;
  };
  const old = [await save(), await save()];
  const between = queue.now();
  const kept = await save();
  const has = async (id: string): Promise<boolean> => (await knownChunks(queue, id)).size > 0;
  const age = (): number => queue.now() - between;
  await removeOldArtifacts(queue, age() + 1_000_000);
  expect(await has(old[0] ?? '')).toBe(true);
  // One at a time, and so twice.
  await removeOldArtifacts(queue, age() + 1, 1);
  expect(await Promise.all(old.map(has))).not.toContain(true);
  expect(await has(kept)).toBe(true);
  // Exactly that old is not older.
  const ended = (await showSession(queue, kept)).session.ended ?? 0;
  const frozen = { ...queue, now: () => ended + 1_000 };
  await removeOldArtifacts(frozen, 1_000);
  expect(await has(kept)).toBe(true);
  await removeOldArtifacts(frozen, 999);
  expect(await has(kept)).toBe(false);
});
