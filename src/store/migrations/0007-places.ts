// The host of a run and the work tree (root) of a session. A pid has no meaning after a reboot or in another pid namespace:
// there, only the heartbeat shows that a run is alive. Unfinished work is only in the session's own work tree.
export const places = `
alter table runs add column host text;
alter table runs add column boot text;
alter table runs add column pid_namespace text;
alter table runs add column heartbeat integer;
alter table sessions add column root text;
`;
