// What agents leave for people, and what people say to it. `feature_context_files`: what agents added to the prompts of a feature;
// a file that a person removed stays as a row, so that no agent adds it again. `flags`: the signals that a person closes, flags
// and suggestions that made no task; a session that repeats its predecessor's flag adds none.
import type { Migration } from './migration.ts';

const TABLES = `
create table feature_context_files (
  feature text not null references features (name) on delete restrict,
  path text not null,
  task_id integer not null references tasks (id) on delete restrict,
  session_id text not null references sessions (id) on delete restrict,
  added integer not null,
  removed integer,
  primary key (feature, path)
) strict, without rowid;

create table flags (
  id integer primary key,
  task_id integer not null references tasks (id) on delete restrict,
  signal_id integer not null unique references signals (id) on delete restrict,
  severity text not null check (severity in ('info', 'warning', 'blocking')),
  closed integer,
  note text
) strict;

create index flags_open on flags (severity, id) where closed is null;
create index flags_task on flags (task_id, id);

`;

const OLD_FLAGS = `
insert into flags (task_id, signal_id, severity)
  select sessions.task_id, min(signals.id), coalesce(json_extract(signals.payload, '$.severity'), 'info')
  from signals join sessions on sessions.id = signals.session_id
  where signals.verb = 'flag'
    or (signals.verb = 'suggest' and json_extract(signals.payload, '$.kind') <> 'new_task')
  group by sessions.task_id, signals.verb, signals.payload
  order by min(signals.id);
`;

const QUESTIONS = `
alter table questions add column dismissed integer;
create index questions_answered on questions (answered) where answer is not null;
`;

export const people: Migration = {
  sqlite: `${TABLES}${OLD_FLAGS}${QUESTIONS}`,
  postgres: `${TABLES}${QUESTIONS}`,
};
