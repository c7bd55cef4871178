// Where a run and a session live. A pid means nothing on another boot or in another pid namespace, where only the heartbeat
// tells that a run is alive; what a session left unfinished lies in its own work tree (root) and in no other.
export const places = `
alter table runs add column host text;
alter table runs add column boot text;
alter table runs add column pid_namespace text;
alter table runs add column heartbeat integer;
alter table sessions add column root text;
`;
