// Through which door a change came: the command line, an MCP client or the page. And what a run is asked to do by events: the
// index holds nothing else, so that no other event pays for it.
export const doors = `
alter table events add column via text;
create index events_stop_asked on events (run_id) where kind = 'run.stop_asked';
`;
