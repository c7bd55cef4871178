// `feature_context_files`: what agents added to the prompts of a feature; a file that a person removed stays as a row, so that no
// agent adds it again.
export const people = `
create table feature_context_files (
  feature text not null references features (name) on delete restrict,
  path text not null,
  task_id integer not null references tasks (id) on delete restrict,
  session_id text not null references sessions (id) on delete restrict,
  added integer not null,
  removed integer,
  primary key (feature, path)
) strict, without rowid;
`;
