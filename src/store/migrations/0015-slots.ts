// Where a session works, how far it is, and the commit that holds its work before it lands. `written_files`: what sessions wrote, so
// that tasks that are likely to change the same files do not run side by side. An index finds the landings of a run.
export const slots = `
alter table sessions add column slot integer;
alter table sessions add column phase text check (phase in ('working', 'proving', 'landing'));
alter table sessions add column work_commit text;

create table written_files (
  session_id text not null references sessions (id) on delete restrict,
  path text not null,
  primary key (session_id, path)
) strict, without rowid;

create index events_landing on events (run_id) where kind = 'landing.ended';
`;
