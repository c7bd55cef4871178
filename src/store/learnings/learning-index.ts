// Full-text search over the learnings: FTS5 on SQLite, tsvector on PostgreSQL.
//
// Each word is indexed with its scope as a prefix. So a search within a feature reads only that feature's words, and its cost does
// not depend on the number of features.
import { sql } from 'kysely';
import type { Learning } from '../../domain/learnings/learning.ts';
import { significantWords } from '../../domain/learnings/search-words.ts';
import type { Reader, Writer } from '../database.ts';
import { dialectName } from '../dialect.ts';

/** Where to search: one feature, or the whole project (null); by default learnings that every session may get. */
type IndexScope = { feature: string | null; among?: 'given' | 'archived' | 'unproven' };

type IndexedLearning = Pick<Learning, 'id' | 'feature' | 'scope' | 'body' | 'reason' | 'archived' | 'proven'>;

/** None is the beginning of another, nor of a place. */
const STATE_PREFIXES = { given: '', archived: 'x', unproven: 'v' };

/** Consonants only: the prefix must not change how a word is stemmed. */
const LETTERS = 'bcdfghjklmnpqrst';

const scopePrefix = ({ feature, among = 'given' }: IndexScope): string =>
  `${STATE_PREFIXES[among]}${feature === null ? 'zz' : `z${fingerprint(feature)}`}`;

/** FNV-1a, 64 bits. */
function fingerprint(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return [...hash.toString(16)].map((digit) => LETTERS[Number.parseInt(digit, 16)]).join('');
}

/** Null for learnings of a single task: the sessions of that task get all of them without a search. */
export function indexedText({
  feature,
  scope,
  body,
  reason,
  archived,
  proven,
}: Omit<IndexedLearning, 'id'>): string | null {
  if (scope === 'task') return null;
  const among = archived !== null ? 'archived' : proven === null ? 'unproven' : 'given';
  const prefix = scopePrefix({ feature: scope === 'project' ? null : feature, among });
  return significantWords(`${body} ${reason ?? ''}`)
    .map((word) => prefix + word)
    .join(' ');
}

export async function indexLearning(db: Writer, learning: IndexedLearning): Promise<void> {
  const { id } = learning;
  await unindexLearning(db, id);
  const words = indexedText(learning);
  if (words === null) return;
  if (dialectName(db) === 'postgres')
    await sql`insert into learning_words (learning_id, words)
      values (${id}, to_tsvector('english', ${withoutMarks(words)}))`.execute(db);
  else await sql`insert into learning_words (rowid, words) values (${id}, ${words})`.execute(db);
}

export async function unindexLearning(db: Writer, id: number): Promise<void> {
  const key = sql.raw(dialectName(db) === 'postgres' ? 'learning_id' : 'rowid');
  await sql`delete from learning_words where ${key} = ${id}`.execute(db);
}

/** FTS5 leaves out accents by itself. */
const withoutMarks = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '');

/** Learnings with any of the words, best match first: by BM25 on SQLite, by `ts_rank` on PostgreSQL. */
export async function matchLearnings(
  db: Reader,
  scopes: readonly IndexScope[],
  words: readonly string[],
  limit: number,
): Promise<number[]> {
  if (words.length === 0 || scopes.length === 0) return [];
  const terms = scopes.map(scopePrefix).flatMap((prefix) => words.map((word) => prefix + word));
  const match = dialectName(db) === 'postgres' ? matchByVector : matchByFts5;
  const { rows } = await match(terms, limit).execute(db);
  return rows.map(({ id }) => id);
}

const matchByFts5 = (terms: readonly string[], limit: number) =>
  sql<{ id: number }>`select rowid as id from learning_words
    where learning_words match ${terms.map((term) => `"${term}"`).join(' OR ')}
    order by bm25(learning_words), rowid desc limit ${limit}`;

/** Words have letters, digits and marks only, so quotes are enough. */
const matchByVector = (terms: readonly string[], limit: number) =>
  sql<{ id: number }>`select learning_id as id
    from learning_words, to_tsquery('english', ${terms.map((term) => `'${withoutMarks(term)}'`).join(' | ')}) as query
    where words @@ query order by ts_rank(words, query) desc, learning_id desc limit ${limit}`;
