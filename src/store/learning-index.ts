// SQLite's own full-text search over the learnings. Another database replaces this file.
import { sql } from 'kysely';
import type { Learning } from '../domain/learning.ts';
import { namedParts } from '../domain/words.ts';
import type { Reader, Writer } from './database.ts';
import { anyOf, scopeWord } from './full-text.ts';

/** Where a learning is looked for: in one feature, or in the whole project; among the active, or in the archive. */
export type IndexScope = { feature: string | null; archived?: boolean };

const wordOf = ({ feature, archived = false }: IndexScope): string =>
  `${archived ? 'x' : ''}${feature === null ? 'project' : scopeWord(feature)}`;

type Indexed = Pick<Learning, 'id' | 'feature' | 'scope' | 'body' | 'reason' | 'archived'>;

/** Those of a single task are not searched: its own sessions are given all of them. */
export async function indexLearning(db: Writer, learning: Indexed): Promise<void> {
  const { id, feature, scope, body, reason, archived } = learning;
  await unindexLearning(db, id);
  if (scope === 'task') return;
  const within = { feature: scope === 'project' ? null : feature, archived: archived !== null };
  const text = `${body} ${reason ?? ''}`;
  await sql`insert into learning_words (rowid, scope, words)
    values (${id}, ${wordOf(within)}, ${`${text} ${namedParts(text)}`})`.execute(db);
}

export async function unindexLearning(db: Writer, id: number): Promise<void> {
  await sql`delete from learning_words where rowid = ${id}`.execute(db);
}

/** Those with any of the words, the best first (BM25). */
export async function matchLearnings(
  db: Reader,
  scopes: readonly IndexScope[],
  words: readonly string[],
  limit: number,
): Promise<number[]> {
  if (words.length === 0 || scopes.length === 0) return [];
  const query = `scope : (${anyOf(scopes.map(wordOf))}) AND words : (${anyOf(words)})`;
  const { rows } = await sql<{ id: number }>`select rowid as id from learning_words
    where learning_words match ${query} order by bm25(learning_words, 0.0, 1.0), rowid desc limit ${limit}`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}
