// The index of ready tasks begins with what makes a task ready, its time included: a claim must not pass over every task that is
// to start later.
export const times = `
drop index tasks_ready;
create index tasks_ready on tasks (status, open_blockers, not_before, priority_rank, feature_rank, id);
`;
