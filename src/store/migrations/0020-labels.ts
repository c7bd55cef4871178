// What a task needs of the machine that works on it. Few tasks need anything, so the index holds only those.
export const labels = `
alter table tasks add column needs text not null default '[]';
create index tasks_needs on tasks (id) where needs <> '[]';
`;
