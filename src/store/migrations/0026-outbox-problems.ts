// Why the last try to tell something failed; null before that. People see it while it waits.
export const outboxProblems = `
alter table notifications add column problem text;
`;
