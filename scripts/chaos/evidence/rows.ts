// What the database says after a round, read by SQL of the harness's own.
import { openBetterSqlite } from '../../../src/store/better-sqlite.ts';
import type { Evidence } from '../evidence.ts';

type Rows = Pick<
  Evidence,
  'tasks' | 'runs' | 'sessions' | 'signals' | 'receipts' | 'gateRuns' | 'events' | 'adopted' | 'integrity'
>;

const EARLIER = 'select 1 from events where session_id = adoption.session_id and events.id < adoption.id';

/** The same on both databases. */
export const QUERIES = {
  tasks: `select id, status, open_blockers, attempts, stuck_count, (
    select count(*) from task_dependencies join tasks as other on other.id = depends_on
    where task_id = tasks.id and other.status not in ('done', 'skipped')) + (
    select count(*) from features where name = feature and features.status in ('planned', 'deprecated'))
    as counted from tasks order by id`,
  runs: 'select id, pid, ended from runs',
  sessions: `select id, task_id, token, ended, outcome, (
    select body from task_comments where session_id = sessions.id and author = 'system' order by id desc limit 1)
    as told from sessions order by token`,
  signals: 'select session_id, verb, payload from signals order by id',
  receipts: 'select task_id, session_id, commit_id, tree_hash from receipts',
  gateRuns: 'select session_id, passed, tree_hash from gate_runs',
} as const;

export function readDatabase(path: string): Rows {
  const db = openBetterSqlite(path, { readonly: true });
  try {
    const all = <T>(sql: string): T[] => db.prepare<[], T>(sql).all();
    return {
      tasks: all(QUERIES.tasks),
      runs: all(QUERIES.runs),
      sessions: all(QUERIES.sessions),
      signals: all(QUERIES.signals),
      receipts: all(QUERIES.receipts),
      gateRuns: all(QUERIES.gateRuns),
      events: all("select kind, session_id, run_id from events where kind like 'session.%' order by id"),
      adopted: all(`select case
        when exists (${EARLIER} and kind = 'gate.finished') then 'after its gates'
        when exists (${EARLIER} and data ->> 'verb' in ('done', 'partial')) then 'after its closing verb'
        when exists (${EARLIER} and kind = 'signal.recorded') then 'while it spoke'
        else 'before it spoke' end as phase from events as adoption where kind = 'session.adopted'`),
      integrity: [
        ...all<{ integrity_check: string }>('pragma integrity_check').map((row) => row.integrity_check),
        ...all('pragma foreign_key_check').map((row) => JSON.stringify(row)),
      ],
    };
  } finally {
    db.close();
  }
}
