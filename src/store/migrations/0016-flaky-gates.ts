// A gate that was red and then passed on the same files. The indexes find these, and count all runs of a gate, without its rows.
export const flakyGates = `
alter table gate_runs add column flaky integer not null default 0 check (flaky in (0, 1));
create index gate_runs_flaky on gate_runs (name, created) where flaky = 1;
create index gate_runs_name on gate_runs (name, created);
`;
