// A database is removed while it is open: every acknowledged write comes back, and no other database is overwritten.
import { spawnSync } from 'node:child_process';
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
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { addTask } from '../../src/queue/tasks/add.ts';
import { readMetadata, writeMetadata } from '../../src/store/metadata.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
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
  it('the next write of a process that works on the queue restores a removed database with all its content', async () => {
    const where = place();
    const store = await worker(where);
    await note(store, 'before');
    removeRepository(where);
    await note(store, 'after');
    expect(store).toMatchObject({ path: where.path });
    expect(store.replacements()).toBe(1);
    expect(await notes(await opened(where.path))).toEqual(['after', 'before']);
  });

  it('a read restores a removed database too', async () => {
    const where = place();
    const store = await worker(where);
    await note(store, 'before');
    removeRepository(where);
    expect(await notes(store)).toEqual(['before']);
    expect(existsSync(where.path)).toBe(true);
  });

  it('only the owner can read a database, also after it was restored', async () => {
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

  it('a process that never restores cannot write to a removed database before it is back', async () => {
    const where = place();
    const [store, other] = [await worker(where), await opened(where.path)];
    removeRepository(where);
    await expect(note(other, 'lost')).rejects.toThrow(/was deleted or replaced while in use/);
    await note(store, 'kept');
    await note(other, 'late');
    expect(await notes(store)).toEqual(['kept', 'late']);
  });

  it('two processes restore a removed database only once, and both continue', async () => {
    const where = place();
    const [one, two] = [await worker(where), await worker(where)];
    removeRepository(where);
    await Promise.all([note(one, 'one'), note(two, 'two'), note(one, 'three'), note(two, 'four')]);
    expect(await notes(one)).toEqual(['four', 'one', 'three', 'two']);
    expect(await notes(two)).toEqual(['four', 'one', 'three', 'two']);
    expect(readdirSync(where.folder).sort()).toEqual(['ralph.db', 'ralph.db-shm', 'ralph.db-wal']);
  });

  it('a database is restored after every removal, and a process that slept meanwhile finds it', async () => {
    const where = place();
    const [store, sleeper] = [await worker(where), await opened(where.path)];
    for (const key of ['a', 'b', 'c']) {
      removeRepository(where);
      await note(store, key);
    }
    await note(sleeper, 'd');
    expect(await notes(store)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('a process that slept through a removal does not restore its older state after the next one', async () => {
    const where = place();
    const [awake, sleeper] = [await worker(where), await worker(where)];
    removeRepository(where);
    await add(awake, 'First');
    removeRepository(where);
    const late = add(sleeper, 'Late');
    // It has all the time it needs to do the wrong thing.
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
    await add(awake, 'Second');
    await late;
    const titles = await awake.read((db) => db.selectFrom('tasks').select('title').orderBy('id').execute());
    expect(titles.map(({ title }) => title)).toEqual(['First', 'Second', 'Late']);
  });

  it('a removed database is not restored if the whole project is gone', async () => {
    const where = place();
    const project = join(where.root, 'project');
    const path = join(project, '.git/ralph/ralph.db');
    const store = await opened(path, { restoreWithin: project });
    renameSync(project, join(where.root, 'moved'));
    await expect(note(store, 'x')).rejects.toThrow(/was deleted or replaced/);
    expect(existsSync(project)).toBe(false);
  });

  it('a removed database is not restored through a link', async () => {
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

describe('another database in the place of a removed one', () => {
  it('an empty new database is replaced, and the process that created it continues with the restored one', async () => {
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

  it('a new database with its own tasks stays, and the removed content is saved beside it', async () => {
    const where = place();
    const store = await worker(where);
    await add(store, 'Old');
    removeRepository(where);
    const newcomer = await opened(where.path);
    await add(newcomer, 'New');
    await expect(note(store, 'x')).rejects.toThrow(
      /another one with its own content is in its place\. Ralph saved the removed content as .*\.rescued\./,
    );
    await expect(note(store, 'x')).rejects.toThrow(/its own content/);
    const titles = (database: Store) =>
      database.read((db) => db.selectFrom('tasks').select('title').execute());
    expect(await titles(newcomer)).toEqual([{ title: 'New' }]);
    const rescued = readdirSync(where.folder).filter((name) => name.endsWith('.rescued'));
    expect(rescued).toHaveLength(1);
    expect(await titles(await opened(join(where.folder, rescued[0] ?? '')))).toEqual([{ title: 'Old' }]);
  });

  it('a file that is no database stays in the place of a removed one', async () => {
    const where = place();
    const store = await worker(where);
    removeRepository(where);
    mkdirSync(where.folder, { recursive: true });
    writeFileSync(where.path, 'a text, and a long one at that\n'.repeat(100));
    await expect(note(store, 'x')).rejects.toThrow(/its own content/);
  });

  it('a removed database that is moved back accepts no write, and its successor replaces it', async () => {
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

  it('a removed database that is moved back becomes current again if no process has its successor', async () => {
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

describe('a database whose files were removed in part', () => {
  it('a database whose log was removed loses nothing', async () => {
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

  it('a database whose main file was removed while its log stayed loses nothing', async () => {
    const where = place();
    const store = await worker(where);
    await add(store, 'Old');
    rmSync(where.path);
    await expect(openStore(where.path)).rejects.toThrow(/is missing, but its log .* exists/);
    await note(store, 'after');
    expect(await (await opened(where.path)).integrityProblems()).toEqual([]);
    expect(await notes(store)).toEqual(['after']);
  });
});

it('a process of a session creates no new database', async () => {
  const { path } = place();
  await expect(openStore(path, { mayCreate: false })).rejects.toThrow(/a session never creates one/);
  expect(existsSync(path)).toBe(false);
});

it('closing a connection to a removed database removes nothing of its successor', async () => {
  const where = place();
  const [store, old] = [await worker(where), await openStore(where.path)];
  removeRepository(where);
  await note(store, 'after');
  await old.close();
  expect(existsSync(`${where.path}-wal`)).toBe(true);
  expect(await notes(await opened(where.path))).toEqual(['after']);
});

it('a connection whose log is removed while it opens takes no write that others would miss', async () => {
  const where = place();
  await (await openStore(where.path)).close();
  const other = vi.fn(() => {
    for (const file of [`${where.path}-wal`, `${where.path}-shm`]) rmSync(file);
    const args = [inject('writer'), where.path, 'other'];
    expect(spawnSync(process.execPath, args, { env: {}, input: 'write\n' }).status).toBe(0);
  });
  // Asked for between the opening of the files and the first write.
  const migrations = new Proxy(MIGRATIONS, {
    get: (target, key) => {
      if (other.mock.calls.length === 0) other();
      return Reflect.get(target, key);
    },
  });
  const store = await openStore(where.path, { migrations });
  await note(store, 'mine');
  await store.close();
  expect(other).toHaveBeenCalledOnce();
  const later = await opened(where.path);
  expect(await notes(later)).toEqual(['mine', 'other 1']);
  expect(await later.integrityProblems()).toEqual([]);
});
