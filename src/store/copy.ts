// Copies a whole queue from one database to another, of whichever kind, and compares both.
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Database, Reader, Writer } from './database.ts';
import { dialectName } from './dialect.ts';
import { indexLearning } from './learnings/learning-index.ts';
import { allLearnings } from './learnings/learnings.ts';
import { openStore, type Store } from './open.ts';
import { insertRows } from './rows.ts';
import { MOVED_KEY, TOKEN_KEY } from './succession.ts';

/** Every table with its key, those first that others refer to. The index of the learnings is made anew. */
export const TABLES = {
  metadata: ['key'],
  disciplines: ['name'],
  features: ['name'],
  feature_dependencies: ['feature', 'depends_on'],
  tasks: ['id'],
  task_dependencies: ['task_id', 'depends_on'],
  task_references: ['source', 'board', 'id'],
  runs: ['id'],
  sessions: ['id'],
  task_comments: ['id'],
  feature_comments: ['id'],
  session_learnings: ['session_id', 'learning_id'],
  feature_files: ['feature', 'path', 'session_id'],
  feature_context_files: ['feature', 'path'],
  written_files: ['session_id', 'path'],
  signals: ['id'],
  questions: ['id'],
  flags: ['id'],
  gate_runs: ['id'],
  receipts: ['id'],
  evidence: ['id'],
  reviews: ['id'],
  comment_embeddings: ['comment_id', 'model'],
  notifications: ['id'],
  pull_requests: ['id'],
  pull_request_parts: ['pull_id', 'task_id'],
  artifacts: ['session_id', 'name', 'seq'],
  events: ['id'],
} as const satisfies { [Table in keyof Database]: readonly (keyof Database[Table] & string)[] };

type TableName = keyof typeof TABLES;
const NAMES = Object.keys(TABLES) as TableName[];

const QUEUE_TABLES = NAMES.filter((table) => table !== 'artifacts');

/** About the database itself, not about the queue. */
const OWN_METADATA = ['moved to', 'restored from', MOVED_KEY, TOKEN_KEY];

/** The database computes it. */
const GENERATED = 'priority_rank';

const ROWS_PER_PAGE = 2_000;
/** Its rows hold up to 64 KB each. */
const pageRows = (table: TableName): number => (table === 'artifacts' ? 100 : ROWS_PER_PAGE);

type Row = Record<string, unknown>;

/** The rows of a table in the order of their key, a page at a time. */
async function* pages(db: Reader, table: TableName): AsyncGenerator<Row[]> {
  const keys = TABLES[table].map((column) => sql.ref(column));
  for (let after: readonly unknown[] | null = null; ; ) {
    const beyond =
      after === null
        ? sql`1 = 1`
        : sql`(${sql.join(keys)}) > (${sql.join(after.map((value) => sql`${value}`))})`;
    const own = table === 'metadata' ? sql`key not in (${sql.join(OWN_METADATA)})` : sql`1 = 1`;
    const { rows }: { rows: Row[] } = await sql<Row>`
      select * from ${sql.table(table)} where ${beyond} and ${own}
      order by ${sql.join(keys)} limit ${pageRows(table)}`.execute(db);
    if (rows.length > 0) yield rows;
    if (rows.length < pageRows(table)) return;
    const last: Row = rows.at(-1) ?? {};
    after = TABLES[table].map((column) => last[column]);
  }
}

/** Within one snapshot of the source and one transaction of the target: a copy is whole, or there is none. */
export async function copyRows(
  from: Reader,
  to: Writer,
  tables: readonly TableName[] = NAMES,
): Promise<void> {
  const isPostgres = dialectName(to) === 'postgres';
  await sql.raw(isPostgres ? 'set constraints all deferred' : 'pragma defer_foreign_keys = on').execute(to);
  for (const table of tables)
    for await (const rows of pages(from, table))
      await insertRows(to, table, rows.map(({ [GENERATED]: _, ...row }) => row) as never);
  for (const learning of await allLearnings(to)) await indexLearning(to, learning);
  if (isPostgres) await continueIdentities(to);
}

/** Rows were inserted with their ids; the next ones must get others. */
async function continueIdentities(db: Writer): Promise<void> {
  const numbered = NAMES.filter((table) => TABLES[table].join() === 'id' && table !== 'sessions');
  for (const table of numbered)
    await sql`select setval(pg_get_serial_sequence(${table}, 'id'), coalesce(max(id), 0) + 1, false)
      from ${sql.table(table)}`.execute(db);
}

/** Leaves the metadata of the database itself. */
export async function clearRows(db: Writer): Promise<void> {
  await sql.raw('delete from learning_words').execute(db);
  for (const table of [...NAMES].reverse())
    if (table === 'metadata')
      await sql`delete from metadata where key not in (${sql.join(OWN_METADATA)})`.execute(db);
    else await sql`delete from ${sql.table(table)}`.execute(db);
}

export type TableDigest = { rows: number; hash: string };

/** By table: the number of rows, and a hash over all their values. */
export async function digestTables(db: Reader): Promise<Map<TableName, TableDigest>> {
  const digests = new Map<TableName, TableDigest>();
  for (const table of NAMES) {
    const hash = createHash('sha256');
    let count = 0;
    for await (const rows of pages(db, table)) {
      count += rows.length;
      for (const row of rows) hash.update(`${canonical(row)}\n`);
    }
    digests.set(table, { rows: count, hash: hash.digest('hex') });
  }
  return digests;
}

/** The same for the same values, in whichever order the database has its columns. */
const canonical = (row: Row): string =>
  JSON.stringify(
    Object.keys(row)
      .sort()
      .map((column) => {
        const value = row[column];
        return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
      }),
  );

/** The tables that are not the same in both. */
export const differingTables = (
  one: ReadonlyMap<TableName, TableDigest>,
  other: ReadonlyMap<TableName, TableDigest>,
): TableName[] => NAMES.filter((table) => one.get(table)?.hash !== other.get(table)?.hash);

export const hasRows = (digests: ReadonlyMap<TableName, TableDigest>): boolean =>
  [...digests].some(([table, { rows }]) => table !== 'metadata' && rows > 0);

/** A database file with the queue as it is now, for a planning session: without what earlier sessions printed. */
export async function copyToFile(from: Store, path: string): Promise<void> {
  // What is stored is masked already, and the chain of evidence covers every byte of it.
  const target = await openStore(path, { mask: (text) => text });
  try {
    await from.read((reader) => target.write((writer) => copyRows(reader, writer, QUEUE_TABLES)));
  } finally {
    await target.close();
  }
}
