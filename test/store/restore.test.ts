// A database that is removed while it is open: what was acknowledged comes back, and nobody's own is overwritten.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addTask } from '../../src/queue/tasks/add.ts';
import { readMetadata, writeMetadata } from '../../src/store/metadata.ts';
import { openStore, type Store, type StoreOptions } from '../../src/store/open.ts';
import { tempDir } from '../support/temp.ts';

type Place = { root: string; folder: string; path: string };

function place(): Place {
  const root = tempDir();
  const folder = join(root, '.git/ralph');
  return { root, folder, path: join(folder, 'ralph.db') };
}

async function opened(path: string, options: StoreOptions = {}): Promise<Store> {
  const store = await openStore(path, options);
  onTestFinished(() => store.close());
  return store;
}

/** The process that works on the queue. */
const worker = ({ root, path }: Place): Promise<Store> => opened(path, { restoreWithin: root });

const note = (store: Store, key: string): Promise<void> =>
  store.write((db) => writeMetadata(db, key, 'written'));
const notes = async (store: Store): Promise<string[]> =>
  Object.entries(await store.read(readMetadata)).flatMap(([key, value]) =>
    value === 'written' ? [key] : [],
  );
const add = (store: Store, title: string) =>
  addTask({ store, now: () => 1, mask: (text) => text }, { title });

const removeRepository = ({ root }: Place): void => rmSync(join(root, '.git'), { recursive: true });

describe('a database whose folder was removed', () => {
  it('is put back with all it held by the next write of the process that works on it', async () => {
    const where = place();
    const store = await worker(where);
    await note(store, 'before');
    removeRepository(where);
    await note(store, 'after');
    expect(store).toMatchObject({ path: where.path });
    expect(store.replacements()).toBe(1);
    expect(await notes(await opened(where.path))).toEqual(['after', 'before']);
  });

  it('is put back by a read, too', async () => {
    const where = place();
    const store = await worker(where);
    await note(store, 'before');
    removeRepository(where);
    expect(await notes(store)).toEqual(['before']);
    expect(existsSync(where.path)).toBe(true);
  });

  it('is readable by its owner alone, also after it was put back', async () => {
    const where = place();
    const store = await worker(where);
    const modes = () =>
      [where.folder, ...readdirSync(where.folder).map((name) => join(where.folder, name))].map(
        (path) => statSync(path).mode & 0o777,
      );
    expect(modes()).toEqual([0o700, 0o600, 0o600, 0o600]);
    removeRepository(where);
    await note(store, 'after');
    expect(modes()).toEqual([0o700, 0o600, 0o600, 0o600]);
  });

  it('takes no write of a process that does not work on it, before it is back', async () => {
    const where = place();
    const [store, other] = [await worker(where), await opened(where.path)];
    removeRepository(where);
    await expect(note(other, 'lost')).rejects.toThrow(/was deleted or replaced while in use/);
    await note(store, 'kept');
    await note(other, 'late');
    expect(await notes(store)).toEqual(['kept', 'late']);
  });

  it('is put back once where two processes work on it, and both go on', async () => {
    const where = place();
    const [one, two] = [await worker(where), await worker(where)];
    removeRepository(where);
    await Promise.all([note(one, 'one'), note(two, 'two'), note(one, 'three'), note(two, 'four')]);
    expect(await notes(one)).toEqual(['four', 'one', 'three', 'two']);
    expect(await notes(two)).toEqual(['four', 'one', 'three', 'two']);
    expect(readdirSync(where.folder).sort()).toEqual(['ralph.db', 'ralph.db-shm', 'ralph.db-wal']);
  });

  it('is put back time and again, and found by a process that slept through all of it', async () => {
    const where = place();
    const [store, sleeper] = [await worker(where), await opened(where.path)];
    for (const key of ['a', 'b', 'c']) {
      removeRepository(where);
      await note(store, key);
    }
    await note(sleeper, 'd');
    expect(await notes(store)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('is not put back where the whole project is gone', async () => {
    const where = place();
    const project = join(where.root, 'project');
    const path = join(project, '.git/ralph/ralph.db');
    const store = await opened(path, { restoreWithin: project });
    renameSync(project, join(where.root, 'moved'));
    await expect(note(store, 'x')).rejects.toThrow(/was deleted or replaced/);
    expect(existsSync(project)).toBe(false);
  });

  it('is not put back through a link', async () => {
    const where = place();
    const store = await worker(where);
    const elsewhere = tempDir();
    removeRepository(where);
    mkdirSync(join(where.root, '.git'));
    symlinkSync(elsewhere, where.folder);
    await expect(note(store, 'x')).rejects.toThrow(/is a link; remove the link/);
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});

describe('where another database has come in its place', () => {
  it('an empty one makes way, and the process that made it goes on with what was put back', async () => {
    const where = place();
    const store = await worker(where);
    await add(store, 'Old');
    removeRepository(where);
    const newcomer = await opened(where.path);
    await note(store, 'old');
    await note(newcomer, 'new');
    expect(await notes(store)).toEqual(['new', 'old']);
    expect(newcomer.replacements()).toBe(1);
  });

  it('one with tasks of its own stays, and what was removed lies beside it', async () => {
    const where = place();
    const store = await worker(where);
    await add(store, 'Old');
    removeRepository(where);
    const newcomer = await opened(where.path);
    await add(newcomer, 'New');
    await expect(note(store, 'x')).rejects.toThrow(
      /another one with content of its own is in its place; what the removed one held is in .*\.rescued\./,
    );
    await expect(note(store, 'x')).rejects.toThrow(/content of its own/);
    const titles = (database: Store) =>
      database.read((db) => db.selectFrom('tasks').select('title').execute());
    expect(await titles(newcomer)).toEqual([{ title: 'New' }]);
    const rescued = readdirSync(where.folder).filter((name) => name.endsWith('.rescued'));
    expect(rescued).toHaveLength(1);
    expect(await titles(await opened(join(where.folder, rescued[0] ?? '')))).toEqual([{ title: 'Old' }]);
  });

  it('a file that is no database stays as well', async () => {
    const where = place();
    const store = await worker(where);
    removeRepository(where);
    mkdirSync(where.folder, { recursive: true });
    writeFileSync(where.path, 'a text, and a long one at that\n'.repeat(100));
    await expect(note(store, 'x')).rejects.toThrow(/content of its own/);
  });

  it('the removed one itself, moved back, takes no write, and makes way for what came after it', async () => {
    const where = place();
    const [store, idle] = [await worker(where), await opened(where.path)];
    await add(store, 'Old');
    const [git, aside] = [join(where.root, '.git'), join(where.root, 'aside')];
    renameSync(git, aside);
    await note(store, 'while away');
    removeRepository(where);
    renameSync(aside, git);
    await expect(note(idle, 'lost')).rejects.toThrow(/was deleted or replaced/);
    await note(store, 'afterwards');
    await note(idle, 'found again');
    expect(await notes(idle)).toEqual(['afterwards', 'found again', 'while away']);
  });

  it('the removed one itself counts again where nobody has its successor any more', async () => {
    const where = place();
    const store = await openStore(where.path, { restoreWithin: where.root });
    await note(store, 'old');
    const [git, aside] = [join(where.root, '.git'), join(where.root, 'aside')];
    renameSync(git, aside);
    await note(store, 'while away');
    await store.close();
    removeRepository(where);
    renameSync(aside, git);
    const later = await opened(where.path);
    await note(later, 'later');
    expect(await notes(later)).toEqual(['later', 'old']);
  });
});

describe('a database of which only a part was removed', () => {
  it('loses nothing with its log', async () => {
    const where = place();
    const store = await worker(where);
    await add(store, 'Old');
    rmSync(`${where.path}-wal`);
    rmSync(`${where.path}-shm`);
    await note(store, 'after');
    const later = await opened(where.path);
    expect(await notes(later)).toEqual(['after']);
    expect(await later.read((db) => db.selectFrom('tasks').select('title').execute())).toEqual([
      { title: 'Old' },
    ]);
    expect(await later.integrityProblems()).toEqual([]);
  });

  it('loses nothing with its main file, beside which the log stays', async () => {
    const where = place();
    const store = await worker(where);
    await add(store, 'Old');
    rmSync(where.path);
    await expect(openStore(where.path)).rejects.toThrow(/is gone, but its log .* is there/);
    await note(store, 'after');
    expect(await (await opened(where.path)).integrityProblems()).toEqual([]);
    expect(await notes(store)).toEqual(['after']);
  });
});

it('a process of a session makes no new database', async () => {
  const { path } = place();
  await expect(openStore(path, { mayCreate: false })).rejects.toThrow(/a session makes no new one/);
  expect(existsSync(path)).toBe(false);
});

it('a connection to a removed database that is closed takes nothing of its successor with it', async () => {
  const where = place();
  const [store, old] = [await worker(where), await openStore(where.path)];
  removeRepository(where);
  await note(store, 'after');
  await old.close();
  expect(existsSync(`${where.path}-wal`)).toBe(true);
  expect(await notes(await opened(where.path))).toEqual(['after']);
});
