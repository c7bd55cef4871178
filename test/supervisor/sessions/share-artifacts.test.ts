// What sessions print reaches the database, whatever happens to it or to the run.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Unreachable } from '../../../src/domain/refusal.ts';
import { CHUNK_BYTES } from '../../../src/domain/sessions/artifact.ts';
import { readFileEnd } from '../../../src/files/read-lines.ts';
import { openArtifacts } from '../../../src/host/artifacts/artifacts.ts';
import { sessionDir } from '../../../src/host/session-folder.ts';
import type { Queue } from '../../../src/queue/queue.ts';
import { saveChunks, storedArtifacts } from '../../../src/queue/sessions/artifacts.ts';
import { addTasks } from '../../../src/queue/tasks/add.ts';
import { type ArtifactSharing, shareArtifacts } from '../../../src/supervisor/sessions/share-artifacts.ts';
import { openTestQueue, runSession } from '../../support/queue.ts';
import { tempDir } from '../../support/temp.ts';

const config = { fleet: { lease_seconds: 60, heartbeat_seconds: 10, keep_days: 30, wip_minutes: 10 } };

type Scene = {
  queue: Queue;
  state: string;
  id: string;
  told: string[];
  setThere(isThere: boolean): void;
  share(): ArtifactSharing;
  write(name: string, content: string): void;
  /** As a machine reads it that has no file of the session. */
  readElsewhere(name: string): Promise<string | null>;
};

/** A session that has ended, and a database that other machines may use while it is there. */
async function scene({ isShared = true } = {}): Promise<Scene> {
  const own = await openTestQueue();
  await addTasks(own, [{ title: 'One' }]);
  const { session_id: id } = await runSession(own, [{ verb: 'done', summary: 'Built.' }]);
  let isThere = true;
  const away = (): Promise<never> => Promise.reject(new Unreachable('The database is away.'));
  const { store } = own;
  const queue: Queue = {
    ...own,
    store: {
      ...store,
      isShared,
      read: (work) => (isThere ? store.read(work) : away()),
      writeAside: (work) => (isThere ? store.writeAside(work) : away()),
    },
  };
  const [state, told] = [tempDir(), [] as string[]];
  const elsewhere = openArtifacts(tempDir(), storedArtifacts(own));
  return {
    queue,
    state,
    id,
    told,
    setThere: (value) => {
      isThere = value;
    },
    share: () => {
      const onRefused = (reason: string): void => void told.push(reason);
      const sharing = shareArtifacts({ queue, stateDir: state, config, onRefused }, { everyMs: 5 });
      onTestFinished(sharing.stop);
      return sharing;
    },
    write: (name, content) => {
      const path = join(sessionDir(state, id), name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    },
    readElsewhere: async (name) =>
      (await readFileEnd(() => elsewhere.open({ session_id: id }, name), 10 * CHUNK_BYTES))?.text ?? null,
  };
}

const file = ({ state, id }: Scene, name: string): string => join(sessionDir(state, id), name);

it('another machine reads a session while it is at work, and all of it afterwards', async () => {
  const one = await scene();
  const sharing = one.share();
  one.write('stream.jsonl', 'first\n');
  one.write('mcp.json', 'token');
  sharing.begin(one.id);
  await expect.poll(() => one.readElsewhere('stream.jsonl')).toBe('first\n');
  const long = `${'x'.repeat(CHUNK_BYTES)}\n`;
  appendFileSync(file(one, 'stream.jsonl'), long);
  await expect.poll(() => one.readElsewhere('stream.jsonl')).toBe(`first\n${long}`);
  appendFileSync(file(one, 'stream.jsonl'), 'last\n');
  await sharing.flush(one.id);
  expect(await one.readElsewhere('stream.jsonl')).toBe(`first\n${long}last\n`);
  // A gate that ran twice wrote its log anew, and shorter.
  one.write('gates/test.log', 'a'.repeat(2 * CHUNK_BYTES));
  await sharing.flush(one.id);
  one.write('gates/test.log', 'b');
  sharing.end(one.id);
  await sharing.stop();
  expect(await one.readElsewhere('gates/test.log')).toBe('b');
  expect(await storedArtifacts(one.queue).find(one.id, 'gates/test.log')).toMatchObject({ bytes: 1 });
  expect(await one.readElsewhere('mcp.json')).toBe(null);
  expect(await storedArtifacts(one.queue).names(one.id)).toEqual(['gates/test.log', 'stream.jsonl']);
  expect(one.told).toEqual([]);
});

it('what a session printed while the database was away follows when it is back', async () => {
  const one = await scene();
  const sharing = one.share();
  one.setThere(false);
  one.write('stream.jsonl', 'before\n');
  sharing.begin(one.id);
  await sharing.flush(one.id);
  appendFileSync(file(one, 'stream.jsonl'), 'after\n');
  sharing.end(one.id);
  one.setThere(true);
  await expect.poll(() => one.readElsewhere('stream.jsonl')).toBe('before\nafter\n');
  await expect.poll(() => existsSync(file(one, 'shared'))).toBe(true);
  expect(one.told).toEqual([]);
});

it('a run sends what an earlier one left, and replaces no gate log of the run that has the session now', async () => {
  const one = await scene();
  const { queue, id } = one;
  await saveChunks(queue, id, [{ name: 'gates/test.log', seq: 0, bytes: Buffer.from('theirs') }]);
  one.write('gates/test.log', 'ours');
  one.write('gates/lint.log', 'ours');
  one.write('stream.jsonl', 'printed\n');
  one.share();
  await expect.poll(() => existsSync(file(one, 'shared'))).toBe(true);
  const names = ['stream.jsonl', 'gates/lint.log', 'gates/test.log'];
  expect(await Promise.all(names.map(one.readElsewhere))).toEqual(['printed\n', 'ours', 'theirs']);
  // Not sent again: the mark names the database.
  expect(readFileSync(file(one, 'shared'), 'utf8')).toBe(`${queue.store.path}\n`);
});

it('a session whose files cannot be stored keeps back no other one, and the person hears of it once', async () => {
  const one = await scene();
  const sharing = one.share();
  one.write('stream.jsonl', 'printed\n');
  // No row of this session: its chunks refer to nothing.
  mkdirSync(sessionDir(one.state, 'unknown'), { recursive: true });
  writeFileSync(join(sessionDir(one.state, 'unknown'), 'prompt.md'), 'x');
  sharing.end('unknown');
  sharing.end(one.id);
  await expect.poll(() => one.readElsewhere('stream.jsonl')).toBe('printed\n');
  expect(one.told).toHaveLength(1);
  expect(one.told[0]).toMatch(/^other machines do not see what sessions print here: /);
});

it('on a database of one machine nothing is written twice', async () => {
  const one = await scene({ isShared: false });
  const sharing = one.share();
  one.write('stream.jsonl', 'printed\n');
  sharing.begin(one.id);
  await sharing.flush(one.id);
  sharing.end(one.id);
  await sharing.stop();
  expect(await one.readElsewhere('stream.jsonl')).toBe(null);
});

it('the end of a run waits only for some time for a database that has stopped answering', async () => {
  const { queue, state, id, write } = await scene();
  let asked = (): void => {};
  const isAsked = new Promise<void>((over) => {
    asked = over;
  });
  const mute = (): Promise<never> => {
    asked();
    return new Promise(() => {});
  };
  const store = { ...queue.store, read: mute, writeAside: mute };
  write('stream.jsonl', 'first\n');
  const input = { queue: { ...queue, store }, stateDir: state, config, onRefused: () => {} };
  const sharing = shareArtifacts(input, { everyMs: 1, stopMs: 10 });
  sharing.begin(id);
  await isAsked;
  await sharing.stop();
});
