// The picture of a discipline and the origin of a comment are kept for other programs. A planned or deprecated feature counts as
// one open blocker of its tasks, so that the ready query stays an index look-up. `recorded`: when a finished feature got its
// entry in the progress file; features that were finished before get none.
export const definitions = `
alter table disciplines add column image_path text;
alter table disciplines add column crops text;
alter table disciplines add column image_prompt text;
alter table task_comments add column agent_task_id integer;
alter table features add column recorded integer;
update tasks set open_blockers = open_blockers + 1
  where feature in (select name from features where status in ('planned', 'deprecated'));
update features set recorded = (
    select max(receipts.created) from receipts join tasks on tasks.id = receipts.task_id where tasks.feature = features.name)
  where not exists (
    select 1 from tasks where tasks.feature = features.name
      and tasks.status in ('pending', 'in_progress', 'needs_input', 'blocked', 'failed'));
`;
