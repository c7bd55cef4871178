// For the MCP server: interactive runs that a person drives from a client, and reviews. Events become cheaper to write:
// they are only appended, so they need no autoincrement table, and no query reads them by task.
export const server = `
alter table runs add column kind text not null default 'supervisor' check (kind in ('supervisor', 'interactive'));

create table reviews (
  id integer primary key,
  session_id text not null references sessions (id) on delete restrict,
  call_id text,
  approved integer not null check (approved in (0, 1)),
  text text not null,
  created integer not null,
  unique (session_id, call_id)
) strict;

create table events_appended (
  id integer primary key,
  at integer not null,
  kind text not null,
  task_id integer,
  session_id text,
  run_id integer,
  data text not null default '{}'
) strict;
insert into events_appended select * from events;
drop table events;
alter table events_appended rename to events;
`;
