// Which agents of a run wait for a usage limit, and until when: a list of `agent` and `until`.
export const parkedAgents = `
alter table runs add column parked text not null default '[]';
`;
