// Since when a session waits to land, or lands, on a branch that machines of a fleet share.
export const landingLine = `
alter table sessions add column landing_since integer;

create index sessions_landing on sessions (landing_since) where landing_since is not null;
`;
