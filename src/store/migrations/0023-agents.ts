// Who works on a task, where the task or its discipline says so.
export const agents = `
alter table disciplines add column agent text;
alter table tasks add column agent text;
`;
