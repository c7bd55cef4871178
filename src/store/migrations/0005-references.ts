// Where a task was imported from, so that a second import updates it. `seen` is the last imported state; null if the
// reference itself came from a definition file.
export const references = `
create table task_references (
  source text not null,
  board text not null,
  id text not null,
  task_id integer not null references tasks (id) on delete restrict,
  seen text,
  primary key (source, board, id)
) strict;
create index task_references_task on task_references (task_id);
`;
