// What sessions of a fleet print, for the machines that do not have their files: packed chunks of a fixed size. `digest` is that of
// the unpacked bytes; with it a machine tells what is left to send.
import type { Migration } from './migration.ts';

const table = `
create table artifacts (
  session_id text not null references sessions (id) on delete restrict,
  name text not null,
  seq integer not null,
  length integer not null,
  digest text not null,
  body blob not null,
  created integer not null,
  primary key (session_id, name, seq)
) strict;
`;

export const artifacts: Migration = {
  sqlite: table,
  // The bodies are packed already.
  postgres: `${table}
alter table artifacts alter column body set storage external;
`,
};
