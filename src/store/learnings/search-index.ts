// The full-text index of `ralph search`, in its own file: a cache that Ralph rebuilds if it is missing, outdated or broken.
import { lstatSync, rmSync } from 'node:fs';
import { namedParts } from '../../domain/learnings/search-words.ts';
import { toStorable } from '../../domain/text/text.ts';
import { openCache, retryBusy, type Sqlite } from '../sqlite.ts';

export type SearchEntry = {
  kind: 'learning' | 'feature' | 'discipline' | 'task' | 'document' | 'journal';
  /** How to open the whole entry: a number, a name, or `path:line`. */
  ref: string;
  title: string;
  body: string;
  /** The features it belongs to. */
  features: readonly string[];
};

/** Ralph indexes a source as a whole, and again when its stamp changes. */
export type SearchSource = { key: string; stamp: string; entries(): Promise<readonly SearchEntry[]> };

export type FoundEntry = Pick<SearchEntry, 'kind' | 'ref' | 'title'> & {
  /** The best matching part; each matched word stands between MATCH_START and MATCH_END. */
  snippet: string;
  /** Higher is better; comparable only within one search. */
  score: number;
};

export const MATCH_START = '\u0002';
export const MATCH_END = '\u0003';

type SearchIndex = {
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
  const sqlite = await openOrRebuild(path);
  return {
    refresh: (sources) => refresh(sqlite, sources),
    find: (words, feature, limit) => find(sqlite, words, feature, limit),
    close: () => sqlite.close(),
  };
}

async function openOrRebuild(path: string): Promise<Sqlite> {
  try {
    // Through a link Ralph would write to another database.
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) throw new Error('the cache is a link');
    return await openCache(path, SCHEMA, VERSION);
  } catch {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${suffix}`, { force: true });
  }
  // If no file can be created, the index lives in memory as long as the command.
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
  const writer = prepareWriter(sqlite);
  await retryBusy(async () =>
    sqlite
      .transaction(() => {
        for (const key of gone) writer.remove(key);
        for (const { key, stamp, entries } of read) {
          writer.remove(key);
          writer.add(key, stamp, entries);
        }
      })
      .immediate(),
  );
}

function prepareWriter(sqlite: Sqlite) {
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

/** A single index word for any feature name. */
const scopeWord = (feature: string): string => `f${Buffer.from(feature).toString('hex')}`;

function find(sqlite: Sqlite, words: readonly string[], feature: string | null, limit: number): FoundEntry[] {
  if (words.length === 0) return [];
  const within = feature === null ? '' : `scope : "${scopeWord(feature)}" AND `;
  return sqlite
    .prepare<unknown[], FoundEntry>(
      `select kind, ref, title, snippet(entries, 2, '${MATCH_START}', '${MATCH_END}', ' … ', 24) as snippet,
         -bm25(entries, 0.0, 4.0, 1.0, 0.5) as score
       from entries where entries match ? order by score desc, rowid limit ?`,
    )
    .all(`${within}{title body parts} : (${words.map((word) => `"${word}"`).join(' OR ')})`, limit)
    .map((found) => ({
      ...found,
      // A minified line counts as one word, and an agent pays for each of its characters.
      snippet: toStorable(found.snippet, MAX_SNIPPET),
      // Rounded only after ranking: common words give tiny scores, which still order the entries.
      score: Number(found.score.toPrecision(3)),
    }));
}
