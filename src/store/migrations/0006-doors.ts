// Through which door a change came: the command line, an MCP client or the page. What happened to one task, for its page, without
// the two kinds that must cost nothing: an agent's words, which are found by session, and new tasks by the thousand, which say
// themselves when they came. And what a run is asked to do by events: that index holds nothing else.
export const doors = `
alter table events add column via text;
create index events_task on events (task_id, id) where kind not in ('task.added', 'signal.recorded');
create index events_stop_asked on events (run_id) where kind = 'run.stop_asked';
`;
