// What needs a person, one row for each target that is told. `told`: when the target took it; null before that.
export const notifications = `
create table notifications (
  id integer primary key,
  event_id integer not null,
  target text not null,
  kind text not null check (kind in ('question', 'failed', 'approval', 'limit', 'finished')),
  body text not null,
  command text not null,
  created integer not null,
  attempts integer not null default 0,
  next_try integer not null,
  told integer,
  unique (event_id, target)
) strict;

create index notifications_due on notifications (next_try) where told is null;
`;
