// How hard the model thinks about a task, where the task or its discipline says so.
const levels = `check (effort in ('low', 'medium', 'high', 'xhigh', 'max'))`;

export const effort = `
alter table disciplines add column effort text ${levels};
alter table tasks add column effort text ${levels};
`;
