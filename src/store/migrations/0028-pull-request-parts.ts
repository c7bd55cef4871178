// A pull request may hold the work of several tasks of a feature: what each of them added becomes a row of its own.
export const pullRequestParts = `
alter table pull_requests add column feature text;

create table pull_request_parts (
  pull_id integer not null references pull_requests (id) on delete cascade,
  task_id integer not null references tasks (id) on delete restrict,
  session_id text not null references sessions (id) on delete restrict,
  head text not null,
  tree_hash text,
  diff_stat text,
  described text,
  waits integer not null check (waits in (0, 1)),
  pushed integer not null,
  primary key (pull_id, task_id)
) strict, without rowid;

insert into pull_request_parts
  (pull_id, task_id, session_id, head, tree_hash, diff_stat, described, waits, pushed)
select pull_requests.id, task_id, session_id, head, tree_hash, diff_stat, described,
  case when state = 'open' and status = 'blocked' then 1 else 0 end, changed
from pull_requests
join tasks on tasks.id = pull_requests.task_id;

drop index pull_requests_task;
alter table pull_requests drop column task_id;
alter table pull_requests drop column session_id;
alter table pull_requests drop column head;
alter table pull_requests drop column tree_hash;
alter table pull_requests drop column diff_stat;
alter table pull_requests drop column described;

create index pull_requests_branch on pull_requests (branch, id);
create index pull_request_parts_task on pull_request_parts (task_id, pull_id);
`;
