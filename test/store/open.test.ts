import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../src/domain/refusal.ts';
import { listLearnings } from '../../src/queue/learnings/learnings.ts';
import { takePulls } from '../../src/queue/pull-requests/look.ts';
import { closeQueue, openQueue } from '../../src/queue/queue.ts';
import { verifyEvidence } from '../../src/queue/sessions/verify-evidence.ts';
import { openBetterSqlite } from '../../src/store/better-sqlite.ts';
import { appendEvents, eventsAfter } from '../../src/store/events.ts';
import { matchLearnings } from '../../src/store/learnings/learning-index.ts';
import { applyMissing } from '../../src/store/migrate.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import type { Migration } from '../../src/store/migrations/migration.ts';
import { openStore } from '../../src/store/open.ts';
import { findMiscounted } from '../../src/store/tasks/blockers.ts';
import { peekNext } from '../../src/store/tasks/claim.ts';
import { unrecordedFeatures } from '../../src/store/tasks/features.ts';
import { openFlags } from '../../src/store/tasks/flags.ts';
import { tempDir } from '../support/temp.ts';

const NEWER = MIGRATIONS.length + 1;
const SECOND = 'create table extra (id integer primary key) strict';

async function openAndClose(path: string, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  await (await openStore(path, { migrations })).close();
}

it('the migrations produce the reviewed schema', async () => {
  const path = join(tempDir(), 'ralph.db');
  await openAndClose(path);
  const database = openBetterSqlite(path, { readonly: true });
  const statements = database
    .prepare(
      "select sql from sqlite_schema where sql is not null and name not like 'sqlite_%' order by rowid",
    )
    .pluck()
    .all();
  database.close();
  await expect(`${statements.join(';\n\n')};\n`).toMatchFileSnapshot('schema.sql');
});

it('every connection is durable: WAL, synchronous FULL, foreign keys on', async () => {
  const path = join(tempDir(), 'ralph.db');
  await openAndClose(path);
  const store = await openStore(path);
  const { sql } = await import('kysely');
  const pragma = (name: string) =>
    store.read(async (db) => (await sql.raw(`pragma ${name}`).execute(db)).rows);
  expect(await pragma('journal_mode')).toEqual([{ journal_mode: 'wal' }]);
  expect(await pragma('synchronous')).toEqual([{ synchronous: 2 }]);
  expect(await pragma('foreign_keys')).toEqual([{ foreign_keys: 1 }]);
  await store.close();
});

it('each event names the channel of its own store, also if several are open', async () => {
  const path = join(tempDir(), 'ralph.db');
  const doors = [null, 'cli', 'ui', 'cli'] as const;
  const stores = await Promise.all(doors.map((via) => openStore(path, { via })));
  const event = { at: 1, kind: 'project.saved' } as const;
  // Several at once, and the same number again: the statement is built once for all of them.
  for (const store of stores) await store.write((db) => appendEvents(db, [event, event]));
  const events = await Promise.all(stores.map((store) => store.read((db) => eventsAfter(db, 0))));
  expect(events[0]?.map(({ via }) => via)).toEqual(doors.flatMap((via) => [via, via]));
  await Promise.all(stores.map((store) => store.close()));
});

describe('versions', () => {
  it('an older database is migrated after a backup copy', async () => {
    const path = join(tempDir(), 'ralph.db');
    await openAndClose(path);
    await openAndClose(path, [...MIGRATIONS, SECOND]);
    const tables = (file: string): unknown[] => {
      const database = openBetterSqlite(file, { readonly: true });
      const names = database.prepare("select name from sqlite_schema where name = 'extra'").pluck().all();
      database.close();
      return names;
    };
    expect(tables(path)).toEqual(['extra']);
    expect(tables(`${path}.v${MIGRATIONS.length}.bak`)).toEqual([]);
  });

  it('a database of the first version is migrated to the current one with all its content', async () => {
    const path = join(tempDir(), 'ralph.db');
    await openAndClose(path, MIGRATIONS.slice(0, 1));
    const database = openBetterSqlite(path);
    database.prepare('insert into runs (pid, started) values (7, 1)').run();
    database.prepare("insert into events (id, at, kind) values (41, 1, 'run.started')").run();
    database.close();
    const store = await openStore(path);
    expect(await store.read((db) => db.selectFrom('runs').select(['pid', 'kind']).execute())).toEqual([
      { pid: 7, kind: 'supervisor' },
    ]);
    expect(await store.read((db) => eventsAfter(db, 0))).toMatchObject([
      { id: 41, kind: 'run.started', via: null },
    ]);
    await store.close();
  });

  it('flags and suggestions of an older database are open after its migration, each once, and drafts are none', async () => {
    const path = join(tempDir(), 'ralph.db');
    await openAndClose(path, MIGRATIONS.slice(0, 8));
    const database = openBetterSqlite(path);
    database.exec(`
      insert into runs (id, pid, started) values (1, 7, 1);
      insert into tasks (id, title, status, feature_rank, created, updated) values (1, 'x', 'pending', 1, 1, 1);
      insert into sessions (id, run_id, task_id, token, started) values ('a', 1, 1, 1, 1), ('b', 1, 1, 2, 1);
      insert into signals (session_id, verb, payload, created) values
        ('a', 'flag', '{"what":"A leak","severity":"blocking","category":"security"}', 1),
        ('a', 'suggest', '{"what":"A task","kind":"new_task","why":"?"}', 1),
        ('b', 'flag', '{"what":"A leak","severity":"blocking","category":"security"}', 2),
        ('b', 'suggest', '{"what":"Split it","kind":"split","why":"It is large."}', 2);
    `);
    database.close();
    const store = await openStore(path);
    expect(await store.read((db) => openFlags(db, 10))).toMatchObject([
      { id: 1, severity: 'blocking', what: 'A leak', closed: null },
      { id: 2, severity: 'info', category: 'split', why: 'It is large.' },
    ]);
    await store.close();
  });

  it('a pull request of an older database has its task as its only part after the migration', async () => {
    const path = join(tempDir(), 'ralph.db');
    await openAndClose(path, MIGRATIONS.slice(0, 27));
    const database = openBetterSqlite(path);
    database.exec(`
      insert into runs (id, pid, started) values (1, 7, 1);
      insert into tasks (id, title, status, feature_rank, created, updated) values
        (1, 'x', 'blocked', 1, 1, 1), (2, 'y', 'pending', 1, 1, 1);
      insert into sessions (id, run_id, task_id, token, started) values ('a', 1, 1, 1, 1), ('b', 1, 2, 1, 1);
      insert into pull_requests (id, task_id, session_id, branch, base, head, number, described, seen_review, changed, next_look) values
        (4, 1, 'a', 'ralph/task-1', 'main', 'h', 12, 'a', 3, 5, 6), (5, 2, 'b', 'ralph/task-2', 'main', 'i', 13, null, 0, 5, 6);
    `);
    database.close();
    const queue = await openQueue(path);
    const part = { status: 'blocked', session_id: 'a', head: 'h', described: 'a', waits: true };
    expect(await takePulls(queue, { isAll: true })).toMatchObject([
      {
        id: 4,
        feature: null,
        branch: 'ralph/task-1',
        number: 12,
        seen_review: 3,
        parts: [{ task_id: 1, ...part }],
      },
      { id: 5, parts: [{ task_id: 2, waits: false }] },
    ]);
    await closeQueue(queue);
  });

  it('done tasks and receipts of an older database have evidence after its migration, and learnings of unfinished tasks wait', async () => {
    const path = join(tempDir(), 'ralph.db');
    await openAndClose(path, MIGRATIONS.slice(0, 16));
    const database = openBetterSqlite(path);
    database.exec(`
      insert into runs (id, pid, started) values (1, 7, 1);
      insert into tasks (id, title, status, feature_rank, created, updated) values
        (1, 'proven', 'done', 1, 1, 1), (2, 'imported', 'done', 1, 1, 1), (3, 'open', 'pending', 1, 1, 1),
        (4, 'reopened', 'pending', 1, 1, 1);
      insert into sessions (id, run_id, task_id, token, started) values ('a', 1, 1, 1, 1), ('c', 1, 3, 1, 1), ('d', 1, 4, 1, 1);
      insert into receipts (id, task_id, session_id, summary, gates, turns, input_tokens, output_tokens, cost_usd, created) values
        (3, 4, 'd', 'Built.', '[]', 1, 2, 3, 0.30000000000000004, 5), (7, 1, 'a', 'Built.', '[]', 1, 2, 3, 0.1, 5);
      insert into feature_comments (id, scope, category, body, task_id, session_id, hash, created) values
        (1, 'project', 'gotcha', 'Tests need a port', 1, 'a', 'x', 1), (2, 'project', 'gotcha', 'Tests need a disk', 3, 'c', 'y', 1),
        (3, 'project', 'gotcha', 'Tests need a clock', null, null, 'z', 1);
      insert into learning_words (rowid, words) values (1, 'zztests'), (2, 'zztests'), (3, 'zztests');
    `);
    database.close();
    const queue = await openQueue(path);
    expect(await verifyEvidence(queue)).toMatchObject({ unproven: [], broken: [], end: { id: 4 } });
    expect((await listLearnings(queue, { proven: false }, 10)).learnings.map(({ id }) => id)).toEqual([2]);
    const found = await queue.store.read((db) => matchLearnings(db, [{ feature: null }], ['tests'], 10));
    expect(found.toSorted()).toEqual([1, 3]);
    await closeQueue(queue);
  });

  it('a migrated database holds back the tasks of planned features, and records features that were finished before', async () => {
    const path = join(tempDir(), 'ralph.db');
    await openAndClose(path, MIGRATIONS.slice(0, 1));
    const database = openBetterSqlite(path);
    database.exec(`
      insert into features (name, status, created, updated) values ('later', 'planned', 1, 1), ('old', 'done', 1, 1);
      insert into tasks (id, feature, title, status, feature_rank, created, updated)
        values (1, 'later', 'One', 'pending', 0, 1, 1), (2, 'old', 'Two', 'done', 0, 1, 1), (3, null, 'Three', 'pending', 0, 1, 1);
      insert into runs (id, pid, started) values (1, 7, 1);
      insert into sessions (id, run_id, task_id, token, started) values ('s', 1, 2, 1, 1);
      insert into receipts (task_id, session_id, summary, gates, turns, input_tokens, output_tokens, cost_usd, created)
        values (2, 's', '', '[]', 0, 0, 0, 0, 9);`);
    database.close();
    const store = await openStore(path);
    await store.read(async (db) => {
      expect(await findMiscounted(db)).toEqual([]);
      expect((await peekNext(db, 1))?.id).toBe(3);
      expect(await unrecordedFeatures(db)).toEqual([]);
    });
    await store.close();
  });

  it('a newer database is refused and left as it is', async () => {
    const path = join(tempDir(), 'ralph.db');
    await openAndClose(path, [...MIGRATIONS, SECOND]);
    const before = readFileSync(path);
    await expect(openStore(path)).rejects.toThrow(
      `has version ${NEWER}, this Ralph supports ${NEWER - 1}; install a newer`,
    );
    expect(readFileSync(path)).toEqual(before);
  });

  it('a database that another process migrated further meanwhile is refused', async () => {
    const path = join(tempDir(), 'ralph.db');
    await openAndClose(path, [...MIGRATIONS, SECOND]);
    const database = openBetterSqlite(path);
    expect(() => applyMissing(database, path, MIGRATIONS)).toThrow(
      `has version ${NEWER}, this Ralph supports ${NEWER - 1}`,
    );
    expect(database.pragma('user_version', { simple: true })).toBe(NEWER);
    database.close();
  });

  it('a failed migration leaves the old version whole', async () => {
    const path = join(tempDir(), 'ralph.db');
    await openAndClose(path);
    await expect(
      openStore(path, { migrations: [...MIGRATIONS, `${SECOND}; create nonsense`] }),
    ).rejects.toThrow();
    await openAndClose(path);
  });

  it('several processes that open a new database at the same time create it once', async () => {
    const path = join(tempDir(), 'ralph.db');
    const stores = await Promise.all(Array.from({ length: 8 }, () => openStore(path)));
    await Promise.all(stores.map((store) => store.close()));
  });
});

describe('unusable files', () => {
  it('a file that is not a database is refused', async () => {
    const path = join(tempDir(), 'ralph.db');
    writeFileSync(path, 'this is a text file, and a long one at that\n'.repeat(100));
    await expect(openStore(path)).rejects.toThrow(Refusal);
    await expect(openStore(path)).rejects.toThrow(/is not a database/);
  });

  it('a database of another program is refused', async () => {
    const path = join(tempDir(), 'ralph.db');
    openBetterSqlite(path).exec('create table theirs (id integer)').close();
    await expect(openStore(path)).rejects.toThrow(/not one of Ralph's/);
  });

  it('a write to a database that was deleted or replaced is refused', async () => {
    const path = join(tempDir(), 'ralph.db');
    const store = await openStore(path);
    renameSync(path, `${path}.moved`);
    await expect(store.write(async () => 'recorded')).rejects.toThrow(/deleted or replaced/);
    rmSync(`${path}.moved`);
    expect(existsSync(path)).toBe(false);
    await store.close();
  });
});

it('a failed transaction is rolled back completely', async () => {
  const store = await openStore(join(tempDir(), 'ralph.db'));
  const write = store.write(async (db) => {
    await db.insertInto('metadata').values({ key: 'title', value: 'x' }).execute();
    throw new Refusal('no');
  });
  await expect(write).rejects.toThrow('no');
  expect(await store.read((db) => db.selectFrom('metadata').selectAll().execute())).toEqual([]);
  await store.close();
});
