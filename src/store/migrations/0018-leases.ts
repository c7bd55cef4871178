// Which work tree a run works in, with how many jobs and which version of Ralph, and its lease. `lease_since`: since when the lease was
// renewed before half of it was over. A run of an older version that is at work keeps its place for as long as its heartbeat gave it.
export const leases = `
alter table runs add column root text;
alter table runs add column jobs integer;
alter table runs add column version text;
alter table runs add column lease_since integer;
alter table runs add column lease_until integer;

update runs set lease_since = started, lease_until = heartbeat + 120000 where ended is null and heartbeat is not null;
`;
