// Where a task comes from, so that reading its source again updates it. `seen` is what was last read of it there; null where
// nobody knows any more, because the reference itself came in from a file.
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
