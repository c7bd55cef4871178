// When a person removed a task that has a history: it leaves the lists, and its history stays.
export const archive = `
alter table tasks add column archived integer check (archived is null or status in ('done', 'skipped'));
create index tasks_archived on tasks (status, feature) where archived is not null;
`;
