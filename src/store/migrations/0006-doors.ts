// `via` is the channel of a change: command line, MCP client or dashboard. One index finds the events of a task, without two
// frequent kinds: signals are found by session, and a task has its own creation time. Another holds only requests to stop a run.
export const doors = `
alter table events add column via text;
create index events_task on events (task_id, id) where kind not in ('task.added', 'signal.recorded');
create index events_stop_asked on events (run_id) where kind = 'run.stop_asked';
`;
