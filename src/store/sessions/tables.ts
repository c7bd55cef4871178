// The tables of runs and sessions as Kysely types.
import type { ColumnType, Generated } from 'kysely';
import type { RunKind, SessionPhase } from '../../domain/sessions/session.ts';

/** A list or object, stored as JSON text. */
type Json = string;

export type RunTable = {
  id: Generated<number>;
  kind: ColumnType<RunKind, RunKind | undefined, never>;
  pid: number;
  process_started: string | null;
  started: number;
  ended: number | null;
  stop_reason: string | null;
  resume_at: number | null;
  /** The agents that wait for a usage limit. */
  parked: Generated<Json>;
  host: string | null;
  boot: string | null;
  pid_namespace: string | null;
  /** When the run last reported that it is alive, on the database's clock. */
  heartbeat: number | null;
  /** The work tree that it works in; null in records of older versions. */
  root: string | null;
  jobs: number | null;
  version: string | null;
  /** Since when it renewed its lease in time: before half of it was over. */
  lease_since: number | null;
  lease_until: number | null;
};

export type SessionTable = {
  id: string;
  run_id: number;
  task_id: number;
  token: number;
  base_commit: string | null;
  started: number;
  /** Since when the session accepts no more signals: its finish has begun. */
  closing: number | null;
  ended: number | null;
  end_state: Json | null;
  outcome: string | null;
  model: string | null;
  turns: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
  /** The model that the agent requested for the task's next session. */
  next_model: ColumnType<string | null, string | undefined, string | null>;
  /** When Ralph wrote the session's line to the journal. */
  journaled: ColumnType<number | null, undefined, number>;
  root: string | null;
  /** Of its recipe, while variants were compared. */
  variant: ColumnType<string | null, undefined, string>;
  slot: ColumnType<number | null, undefined, number>;
  phase: ColumnType<SessionPhase | null, undefined, SessionPhase | null>;
  work_commit: ColumnType<string | null, undefined, string>;
  landing_since: ColumnType<number | null, undefined, number | null>;
};

/** A chunk of a session's file. Every chunk but the last has the same length. */
export type ArtifactTable = {
  session_id: string;
  /** The path of the file in the folder of the session. */
  name: string;
  seq: number;
  /** Of the unpacked bytes. */
  length: number;
  digest: string;
  body: Uint8Array;
  created: number;
};
