// The pull request of a task, from the push of its branch on. `number`: null until GitHub has it.
export const pullRequests = `
create table pull_requests (
  id integer primary key,
  task_id integer not null references tasks (id) on delete restrict,
  session_id text not null references sessions (id) on delete restrict,
  branch text not null,
  base text not null,
  head text not null,
  tree_hash text,
  diff_stat text,
  number integer,
  url text,
  state text not null default 'open' check (state in ('open', 'merged', 'closed')),
  described text,
  seen_review integer not null default 0,
  seen_comment integer not null default 0,
  returned text,
  conflicts integer not null default 0,
  changed integer not null,
  next_look integer not null
) strict;

create index pull_requests_task on pull_requests (task_id, id);
create index pull_requests_open on pull_requests (next_look) where state = 'open';
`;
