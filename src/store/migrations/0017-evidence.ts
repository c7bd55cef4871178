// `evidence`: why each done task is done, as a chain in which every row holds a hash over itself and over the hash before it. What
// was done before Ralph kept it is taken over as it stands. `seal`: tells the process that ran a gate its own results from others.
// `proven`: when a gate or a person vouched for a learning; before that only retries of its own task get it. `author`: whose words.
import type { Migration } from './migration.ts';

const CHAIN = `
create table evidence (
  id integer primary key,
  at integer not null,
  kind text not null check (kind in ('receipt', 'commit', 'imported', 'rebuilt', 'accepted', 'existing', 'reopened')),
  task_id integer not null,
  receipt_id integer,
  digest text,
  commit_id text,
  hash text not null
) strict;

create index evidence_task on evidence (task_id, id, kind);
create index evidence_receipt on evidence (receipt_id, kind) where receipt_id is not null;

`;

const OLD_DONES = `
insert into evidence (at, kind, task_id, receipt_id, digest, hash)
  select created, 'receipt', task_id, id, receipt_digest(id, task_id, session_id, summary, gates, commit_id, tree_hash, diff_stat,
    model, turns, input_tokens, output_tokens, cost_usd, learnings, created, no_change_reason), ''
  from receipts order by id;
insert into evidence (at, kind, task_id, hash)
  select updated, 'existing', id, '' from tasks
  where status = 'done' and not exists (select 1 from receipts where receipts.task_id = tasks.id) order by id;
insert into evidence (at, kind, task_id, hash)
  select updated, 'reopened', id, '' from tasks
  where status <> 'done' and exists (select 1 from receipts where receipts.task_id = tasks.id) order by id;
with recursive chained (id, hash) as (
  select 0, ''
  union all
  select next.id, evidence_hash(chained.hash, next.id, next.at, next.kind, next.task_id, next.receipt_id, next.digest, next.commit_id)
  from chained join evidence as next on next.id = chained.id + 1
)
update evidence set hash = chained.hash from chained where chained.id = evidence.id;
`;

const COLUMNS = `
alter table gate_runs add column seal text;

alter table feature_comments add column proven integer;
alter table feature_comments add column author text not null default 'agent' check (author in ('agent', 'person'));
`;

const OLD_LEARNINGS = `
update feature_comments set author = 'person' where session_id is null;
update feature_comments set proven = created where session_id is null
  or exists (select 1 from receipts where receipts.task_id = feature_comments.task_id)
  or exists (select 1 from sessions where sessions.id = feature_comments.session_id and sessions.outcome = 'done');
delete from learning_words where rowid in (
  select id from feature_comments where proven is null and archived is null and scope <> 'task');
insert into learning_words (rowid, words)
  select id, unproven_text(feature, scope, body, reason) from feature_comments
  where proven is null and archived is null and scope <> 'task';
`;

const INDEX = `
create index feature_comments_unproven on feature_comments (task_id, id) where proven is null;
`;

export const evidence: Migration = {
  sqlite: `${CHAIN}${OLD_DONES}${COLUMNS}${OLD_LEARNINGS}${INDEX}`,
  postgres: `${CHAIN}${COLUMNS}${INDEX}`,
};
