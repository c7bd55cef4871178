// SQLite's own full-text search over the learnings. Another database replaces this file.
//
// Every word is indexed together with where it holds, as one word: so a search within a feature reads what that feature has, and takes
// as long in a project with fifty features as in one with a single one.
import { sql } from 'kysely';
import type { Learning } from '../../domain/learnings/learning.ts';
import { wordsOf } from '../../domain/learnings/search-words.ts';
import type { Reader, Writer } from '../database.ts';

/** Where a learning is looked for: in one feature, or in the whole project (null); among the active, or in the archive. */
export type IndexScope = { feature: string | null; archived?: boolean };

type Indexed = Pick<Learning, 'id' | 'feature' | 'scope' | 'body' | 'reason' | 'archived'>;

/** Consonants only: what stands before a word must not change how the word is stemmed. */
const LETTERS = 'bcdfghjklmnpqrst';

const prefixOf = ({ feature, archived = false }: IndexScope): string => {
  const place = feature === null ? 'zz' : `z${fingerprint(feature)}`;
  return archived ? `x${place}` : place;
};

/** FNV-1a, 64 bits. */
function fingerprint(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return [...hash.toString(16)].map((digit) => LETTERS[Number.parseInt(digit, 16)]).join('');
}

/** Those of a single task are not searched: its own sessions are given all of them. */
export function indexedText({ feature, scope, body, reason, archived }: Omit<Indexed, 'id'>): string | null {
  if (scope === 'task') return null;
  const prefix = prefixOf({ feature: scope === 'project' ? null : feature, archived: archived !== null });
  return wordsOf(`${body} ${reason ?? ''}`)
    .map((word) => prefix + word)
    .join(' ');
}

export async function indexLearning(db: Writer, learning: Indexed): Promise<void> {
  const { id } = learning;
  await unindexLearning(db, id);
  const words = indexedText(learning);
  if (words !== null)
    await sql`insert into learning_words (rowid, words) values (${id}, ${words})`.execute(db);
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
  const terms = scopes.map(prefixOf).flatMap((prefix) => words.map((word) => `"${prefix}${word}"`));
  const { rows } = await sql<{ id: number }>`select rowid as id from learning_words
    where learning_words match ${terms.join(' OR ')} order by bm25(learning_words), rowid desc limit ${limit}`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}
