// A full-text index of what can be searched, in a file of its own: a cache, made anew whenever it is gone, old or broken.
import { lstatSync, rmSync } from 'node:fs';
import { namedParts } from '../../domain/learnings/search-words.ts';
import { keepable } from '../../domain/text/text.ts';
import { openCache, retryBusy, type Sqlite } from '../sqlite.ts';

export type SearchEntry = {
  kind: 'learning' | 'feature' | 'discipline' | 'task' | 'document' | 'journal';
  /** What to ask for to see it whole: a number, a name, or `path:line`. */
  ref: string;
  title: string;
  body: string;
  /** The features it belongs to. */
  features: readonly string[];
};

/** Something that is indexed as a whole, again when its stamp is another one. */
export type SearchSource = { key: string; stamp: string; entries(): Promise<readonly SearchEntry[]> };

export type FoundEntry = Pick<SearchEntry, 'kind' | 'ref' | 'title'> & {
  /** The best matching part, with the words that were found between START and END. */
  snippet: string;
  /** The larger the better; comparable within one search. */
  score: number;
};

export const START = '\u0002';
export const END = '\u0003';

export type SearchIndex = {
  refresh(sources: readonly SearchSource[]): Promise<void>;
  find(words: readonly string[], feature: string | null, limit: number): FoundEntry[];
  close(): void;
};

const MAX_SNIPPET = 600;

const VERSION = 1;
const SCHEMA = `
create table if not exists sources (key text primary key, stamp text not null) without rowid;
create table if not exists rows_of (source text not null, row integer not null, primary key (source, row)) without rowid;
create virtual table if not exists entries using fts5 (scope, title, body, parts, kind unindexed, ref unindexed,
  tokenize = 'porter unicode61 remove_diacritics 2');
pragma user_version = ${VERSION};
`;

export async function openSearchIndex(path: string): Promise<SearchIndex> {
  const sqlite = await openSound(path);
  return {
    refresh: (sources) => refresh(sqlite, sources),
    find: (words, feature, limit) => find(sqlite, words, feature, limit),
    close: () => sqlite.close(),
  };
}

async function openSound(path: string): Promise<Sqlite> {
  try {
    // Somebody else's database would be written to.
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) throw new Error('the cache is a link');
    return await openCache(path, SCHEMA, VERSION);
  } catch {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${suffix}`, { force: true });
  }
  // Where no file can be, the index lives as long as the command.
  return openCache(path, SCHEMA, VERSION).catch(() => openCache(':memory:', SCHEMA, VERSION));
}

async function refresh(sqlite: Sqlite, sources: readonly SearchSource[]): Promise<void> {
  const known = new Map(
    sqlite
      .prepare<[], { key: string; stamp: string }>('select key, stamp from sources')
      .all()
      .map(({ key, stamp }) => [key, stamp]),
  );
  const current = new Set(sources.map(({ key }) => key));
  const changed = sources.filter(({ key, stamp }) => known.get(key) !== stamp);
  const gone = [...known.keys()].filter((key) => !current.has(key));
  if (changed.length === 0 && gone.length === 0) return;
  const read: { key: string; stamp: string; entries: readonly SearchEntry[] }[] = [];
  for (const { key, stamp, entries } of changed) read.push({ key, stamp, entries: await entries() });
  const put = writer(sqlite);
  await retryBusy(async () =>
    sqlite
      .transaction(() => {
        for (const key of gone) put.remove(key);
        for (const { key, stamp, entries } of read) {
          put.remove(key);
          put.add(key, stamp, entries);
        }
      })
      .immediate(),
  );
}

function writer(sqlite: Sqlite) {
  const source = sqlite.prepare('insert into sources (key, stamp) values (?, ?)');
  const row = sqlite.prepare('insert into rows_of (source, row) values (?, ?)');
  const entry = sqlite.prepare(
    'insert into entries (scope, title, body, parts, kind, ref) values (?, ?, ?, ?, ?, ?)',
  );
  const removals = [
    'delete from entries where rowid in (select row from rows_of where source = ?)',
    'delete from rows_of where source = ?',
    'delete from sources where key = ?',
  ].map((text) => sqlite.prepare(text));
  return {
    remove: (key: string): void => {
      for (const removal of removals) removal.run(key);
    },
    add: (key: string, stamp: string, entries: readonly SearchEntry[]): void => {
      source.run(key, stamp);
      for (const { kind, ref, title, body, features } of entries) {
        const scope = features.map(scopeWord).join(' ');
        const parts = namedParts(`${title} ${body}`);
        row.run(key, entry.run(scope, title, body, parts, kind, ref).lastInsertRowid);
      }
    },
  };
}

/** One word of the index, whatever the feature is called. */
const scopeWord = (feature: string): string => `f${Buffer.from(feature).toString('hex')}`;

function find(sqlite: Sqlite, words: readonly string[], feature: string | null, limit: number): FoundEntry[] {
  if (words.length === 0) return [];
  const within = feature === null ? '' : `scope : "${scopeWord(feature)}" AND `;
  return sqlite
    .prepare<unknown[], FoundEntry>(
      `select kind, ref, title, snippet(entries, 2, '${START}', '${END}', ' … ', 24) as snippet,
         -bm25(entries, 0.0, 4.0, 1.0, 0.5) as score
       from entries where entries match ? order by score desc, rowid limit ?`,
    )
    .all(`${within}{title body parts} : (${words.map((word) => `"${word}"`).join(' OR ')})`, limit)
    .map((found) => ({
      ...found,
      // A minified line is one word; an agent pays for every character of it.
      snippet: keepable(found.snippet, MAX_SNIPPET),
      // Rounded after the ranking: a word that most entries have is worth next to nothing, and still tells them apart.
      score: Number(found.score.toPrecision(3)),
    }));
}
