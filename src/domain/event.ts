/** Every change of state writes one event, in the transaction that makes the change. */
const EVENT_KINDS = [
  'task.added',
  'task.edited',
  'task.status',
  'task.removed',
  'dependency.added',
  'dependency.removed',
  'feature.saved',
  'feature.removed',
  'discipline.saved',
  'discipline.removed',
  'project.saved',
  'comment.added',
  'learning.added',
  'learning.confirmed',
  'learning.approved',
  'learning.edited',
  'learning.archived',
  'learning.restored',
  'learning.removed',
  'signal.recorded',
  'question.asked',
  'question.answered',
  'question.dismissed',
  'flag.opened',
  'flag.closed',
  'session.started',
  'session.adopted',
  'session.phase',
  'session.ended',
  'gate.finished',
  'review.recorded',
  'landing.ended',
  'pull.opened',
  'pull.updated',
  'pull.returned',
  'pull.merged',
  'pull.closed',
  'pull.reopened',
  'planning.ended',
  'definitions.proposed',
  'definitions.decided',
  'run.started',
  'run.waiting',
  'run.stop_asked',
  'run.lost',
  'run.ended',
] as const;

export type EventKind = (typeof EVENT_KINDS)[number];

/** The origin of a change: the command line, an MCP client, the dashboard. */
export type Channel = 'cli' | 'mcp' | 'ui';

export type RalphEvent = {
  id: number;
  at: number;
  kind: EventKind;
  task_id: number | null;
  session_id: string | null;
  run_id: number | null;
  data: unknown;
  /** Null for events of versions that did not record it. */
  via: Channel | null;
};
