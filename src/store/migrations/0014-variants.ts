// Which variant of its recipe a session got, while variants were compared; null otherwise. An index finds planning sessions by time,
// among all the other events, for the report of a run.
export const variants = `
alter table sessions add column variant text;
create index events_planning on events (at) where kind = 'planning.ended';
create index sessions_variant on sessions (variant) where variant is not null;
`;
