// What is known of a tree need not be found out again: a gate's result is looked up by tree and by the gate's own form.
// `baseline`: it was run before the session touched anything. And the model that an agent asked for, for the task's next session.
export const proof = `
alter table gate_runs add column definition text;
alter table gate_runs add column baseline integer not null default 0 check (baseline in (0, 1));
alter table gate_runs add column was_red integer not null default 0 check (was_red in (0, 1));
create index gate_runs_tree on gate_runs (tree_hash, id) where tree_hash is not null;
alter table sessions add column next_model text;
`;
