// Learnings can be confirmed, contradicted, archived, given to sessions and searched (`learning_words` is the full-text index).
// `feature_files`: the files that sessions of a feature touch.
import type { Migration } from './migration.ts';

const CONFIRMATIONS = `
alter table feature_comments add column confirmations integer not null default 0;
`;

const CONFLICTS = 'add column conflicts_with integer references feature_comments (id) on delete set null';

const COLUMNS = `
alter table feature_comments add column archived integer;
alter table feature_comments add column archived_by text check (archived_by in ('bound', 'person'));
alter table feature_comments add column given integer not null default 0;
alter table feature_comments add column passed integer not null default 0;

create index feature_comments_conflict on feature_comments (conflicts_with) where conflicts_with is not null;
create index feature_comments_active on feature_comments (feature, scope, id) where archived is null;
`;

const FTS5 = `
create virtual table learning_words using fts5 (words, tokenize = 'porter unicode61 remove_diacritics 2');
insert into learning_words (rowid, words)
  select id, indexed_text(feature, scope, body, reason) from feature_comments where scope <> 'task';
`;

const TSVECTOR = `
create table learning_words (
  learning_id integer not null primary key references feature_comments (id) on delete cascade,
  words tsvector not null
);
create index learning_words_words on learning_words using gin (words);
`;

const TABLES = `
create table session_learnings (
  session_id text not null references sessions (id) on delete restrict,
  learning_id integer not null references feature_comments (id) on delete cascade,
  primary key (session_id, learning_id)
) strict, without rowid;

create index session_learnings_learning on session_learnings (learning_id);

alter table sessions add column journaled integer;
create index sessions_unjournaled on sessions (ended) where journaled is null and ended is not null;

create table feature_files (
  feature text not null references features (name) on delete restrict,
  path text not null,
  session_id text not null references sessions (id) on delete restrict,
  primary key (feature, path, session_id)
) strict, without rowid;
`;

export const knowledge: Migration = {
  sqlite: `${CONFIRMATIONS}alter table feature_comments ${CONFLICTS};${COLUMNS}${FTS5}${TABLES}`,
  // Checked at the end of a transaction where it says so: a copy inserts the rows one after another.
  postgres: `${CONFIRMATIONS}alter table feature_comments ${CONFLICTS} deferrable;${COLUMNS}${TSVECTOR}${TABLES}`,
};
