// What the MCP server adds: runs that a person drives from a client, and what a reviewer said.
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
`;
