import { join } from 'node:path';
import { closeQueue, openQueue } from '../../src/queue/queue.ts';
import { addTasks } from '../../src/queue/tasks/add.ts';
import { openBetterSqlite } from '../../src/store/better-sqlite.ts';
import { foundation } from '../../src/store/migrations/0001-foundation.ts';
import { type Bench, compare } from './measure.ts';

const COUNT = 10_000;
const titles = Array.from(
  { length: COUNT },
  (_, index) => `Task ${index + 1} with a title of ordinary length`,
);
const description =
  'What is to be done, in two or three sentences, as people write them. It names a file or two.';

/** The same rows in the same tables: a task and its event each, one transaction, prepared statements, no Kysely. */
function insertRaw(path: string): void {
  const database = openBetterSqlite(path);
  database.pragma('journal_mode = wal');
  database.pragma('synchronous = full');
  database.pragma('foreign_keys = on');
  database.exec(foundation);
  const task = database.prepare(
    `insert into tasks (id, title, description, status, priority, feature_rank, provenance, acceptance_criteria, context_files,
      output_artifacts, tags, attempts, stuck_count, open_blockers, token, created, updated)
     values (?, ?, ?, 'pending', 'medium', 1000000000, 'human', '[]', '[]', '[]', '[]', 0, 0, 0, 0, ?, ?)`,
  );
  const event = database.prepare(
    "insert into events (at, kind, task_id, data) values (?, 'task.added', ?, ?)",
  );
  database.transaction(() => {
    for (const [index, title] of titles.entries()) {
      task.run(index + 1, title, description, 1, 1);
      event.run(1, index + 1, JSON.stringify({ title, status: 'pending' }));
    }
  })();
  database.close();
}

async function insertByRalph(path: string): Promise<void> {
  const queue = await openQueue(path);
  await addTasks(
    queue,
    titles.map((title) => ({ title, description })),
  );
  await closeQueue(queue);
}

export const insert: Bench = async (folder) => {
  let file = 0;
  const path = () => join(folder, `insert-${file++}.db`);
  const { measured, against } = await compare(
    7,
    () => insertByRalph(path()),
    () => insertRaw(path()),
  );
  return [
    {
      name: '10,000 tasks inserted, against raw better-sqlite3',
      ratio: measured / against,
      atMost: 2,
      detail: `${measured.toFixed(0)} ms against ${against.toFixed(0)} ms`,
    },
  ];
};
