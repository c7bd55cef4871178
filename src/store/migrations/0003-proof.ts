// Ralph reuses gate results: it finds them by tree and by the gate's definition. `baseline`: the gate ran before the session
// changed anything. `next_model`: the model that the agent requested for the task's next session.
export const proof = `
alter table gate_runs add column definition text;
alter table gate_runs add column baseline integer not null default 0 check (baseline in (0, 1));
alter table gate_runs add column was_red integer not null default 0 check (was_red in (0, 1));
create index gate_runs_tree on gate_runs (tree_hash, id) where tree_hash is not null;
alter table sessions add column next_model text;
`;
