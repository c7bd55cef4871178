// The tables as Kysely types; `test/store/schema.sql` shows the same tables as SQLite creates them.
import type { ColumnType, Generated, Kysely, Transaction } from 'kysely';
import type { Channel, EventKind } from '../domain/event.ts';
import type { Source } from '../domain/exchange/backlog.ts';
import type { Archivist } from '../domain/learnings/learning.ts';
import type { NeedKind } from '../domain/notifications/notification.ts';
import type { PullPart, PullState } from '../domain/pull-requests/pull-request.ts';
import type { EvidenceRow } from '../domain/sessions/evidence.ts';
import type { Verb } from '../domain/sessions/signal.ts';
import type { FeatureStatus } from '../domain/tasks/feature.ts';
import type { Severity } from '../domain/tasks/flag.ts';
import type { Effort, Priority, Provenance, Status, TaskComment, TaskKind } from '../domain/tasks/task.ts';
import type { ArtifactTable, RunTable, SessionTable } from './sessions/tables.ts';

/** A list or object, stored as JSON text. */
type Json = string;
type Flag = 0 | 1;
type ReadOnly<T> = ColumnType<T, never, never>;

export type Database = {
  metadata: { key: string; value: string };
  disciplines: {
    name: string;
    display_name: string | null;
    acronym: string | null;
    icon: string | null;
    color: string | null;
    system_prompt: string | null;
    skills: Json;
    conventions: string | null;
    mcp_servers: Json;
    agent: string | null;
    model: string | null;
    effort: Effort | null;
    tools: Json;
    image_path: string | null;
    crops: Json | null;
    image_prompt: string | null;
    /** The fields that a definition file owns; null if a tool created the row. */
    defined: Json | null;
    created: number;
    updated: number;
  };
  features: {
    name: string;
    display_name: string | null;
    acronym: string | null;
    description: string | null;
    architecture: string | null;
    boundaries: string | null;
    knowledge_paths: Json;
    context_files: Json;
    priority: number | null;
    status: FeatureStatus;
    spec_file: string | null;
    acceptance_criteria: Json;
    defined: Json | null;
    created: number;
    updated: number;
    /** When the finished feature got its entry in the progress file. */
    recorded: ColumnType<number | null, undefined, number>;
  };
  feature_dependencies: { feature: string; depends_on: string };
  tasks: {
    id: number;
    feature: string | null;
    discipline: string | null;
    parent: number | null;
    title: string;
    description: string | null;
    kind: TaskKind;
    status: Status;
    priority: Priority;
    priority_rank: ReadOnly<number>;
    feature_rank: number;
    provenance: Provenance;
    blocked_by: string | null;
    acceptance_criteria: Json;
    context_files: Json;
    output_artifacts: Json;
    hints: string | null;
    pseudocode: string | null;
    estimated_turns: number | null;
    agent: string | null;
    model: string | null;
    effort: Effort | null;
    tags: Json;
    needs: Json;
    attempts: number;
    stuck_count: number;
    open_blockers: number;
    token: number;
    not_before: number | null;
    defined: Json | null;
    created: number;
    updated: number;
    completed: number | null;
    enriched_at: number | null;
    archived: number | null;
  };
  /** `defined`: 1 if a definition file gave the edge; agents and people add the others. */
  task_dependencies: {
    task_id: number;
    depends_on: number;
    defined: ColumnType<Flag, Flag | undefined, Flag>;
  };
  runs: RunTable;
  sessions: SessionTable;
  task_comments: {
    id: Generated<number>;
    task_id: number;
    session_id: string | null;
    author: TaskComment['author'];
    body: string;
    created: number;
    agent_task_id: ColumnType<number | null, number | null | undefined, never>;
  };
  feature_comments: {
    id: Generated<number>;
    feature: string | null;
    scope: string;
    category: string;
    body: string;
    summary: string | null;
    reason: string | null;
    discipline: string | null;
    task_id: number | null;
    session_id: string | null;
    hash: string;
    created: number;
    confirmations: ColumnType<number, number | undefined, number>;
    conflicts_with: ColumnType<number | null, number | null | undefined, number | null>;
    archived: ColumnType<number | null, number | null | undefined, number | null>;
    archived_by: ColumnType<Archivist | null, Archivist | null | undefined, Archivist | null>;
    given: ColumnType<number, number | undefined, number>;
    passed: ColumnType<number, number | undefined, number>;
    /** When a gate or a person vouched for it. */
    proven: number | null;
    author: 'agent' | 'person';
  };
  session_learnings: { session_id: string; learning_id: number };
  /** Files that a session of the feature read or wrote. */
  feature_files: { feature: string; path: string; session_id: string };
  written_files: { session_id: string; path: string };
  /** `removed`: when a person removed the file from the feature's prompts. */
  feature_context_files: {
    feature: string;
    path: string;
    task_id: number;
    session_id: string;
    added: number;
    removed: ColumnType<number | null, undefined, number>;
  };
  signals: {
    id: Generated<number>;
    session_id: string;
    call_id: string | null;
    verb: Verb;
    payload: Json;
    created: number;
  };
  questions: {
    id: Generated<number>;
    task_id: number;
    signal_id: number | null;
    question: string;
    blocking: Flag;
    options: Json;
    preferred: string | null;
    answer: string | null;
    asked: number;
    answered: number | null;
    /** The session whose done the question asks a person to accept. */
    approves: ColumnType<string | null, string | null | undefined, never>;
    /** When a person decided not to answer it. */
    dismissed: ColumnType<number | null, number | null | undefined, number>;
  };
  /** The state of a signal that a person closes; the signal has its text. */
  flags: {
    id: Generated<number>;
    task_id: number;
    signal_id: number;
    severity: Severity;
    closed: ColumnType<number | null, undefined, number>;
    note: ColumnType<string | null, undefined, string | null>;
  };
  notifications: {
    id: Generated<number>;
    event_id: number;
    /** As the configuration names it. */
    target: string;
    kind: NeedKind;
    body: string;
    command: string;
    created: number;
    attempts: ColumnType<number, number | undefined, number>;
    next_try: number;
    told: ColumnType<number | null, undefined, number>;
    problem: ColumnType<string | null, undefined, string | null>;
  };
  pull_requests: {
    id: Generated<number>;
    /** Null if it is that of one task. */
    feature: string | null;
    branch: string;
    base: string;
    /** Null until GitHub has it. */
    number: number | null;
    url: string | null;
    state: ColumnType<PullState, PullState | undefined, PullState>;
    seen_review: ColumnType<number, number | undefined, number>;
    seen_comment: ColumnType<number, number | undefined, number>;
    returned: string | null;
    conflicts: ColumnType<number, number | undefined, number>;
    changed: number;
    next_look: number;
  };
  pull_request_parts: Omit<PullPart, 'status' | 'diff_stat' | 'waits'> & {
    pull_id: number;
    diff_stat: Json | null;
    waits: Flag;
    pushed: number;
  };
  gate_runs: {
    id: Generated<number>;
    session_id: string;
    name: string;
    command: string;
    required: Flag;
    passed: Flag;
    exit_code: number | null;
    duration_ms: number;
    tail: string;
    log: string | null;
    tree_hash: string | null;
    /** Null for rows from before Ralph reused gate results. */
    definition: string | null;
    /** The gate ran before its session changed anything. */
    baseline: Flag;
    was_red: Flag;
    /** The gate was red, and then passed on the same files. */
    flaky: ColumnType<Flag, Flag | undefined, never>;
    created: number;
    /** Made with a key that only the process that ran the gate has. */
    seal: string | null;
  };
  receipts: {
    id: Generated<number>;
    task_id: number;
    session_id: string;
    summary: string;
    gates: Json;
    commit_id: string | null;
    tree_hash: string | null;
    diff_stat: Json | null;
    model: string | null;
    turns: number;
    input_tokens: number;
    output_tokens: number;
    cost_usd: number;
    learnings: Json;
    created: number;
    no_change_reason: string | null;
  };
  /** Rows are only ever added. */
  evidence: EvidenceRow;
  reviews: {
    id: Generated<number>;
    session_id: string;
    call_id: string | null;
    approved: Flag;
    text: string;
    created: number;
  };
  task_references: { source: Source; board: string; id: string; task_id: number; seen: Json | null };
  comment_embeddings: {
    comment_id: number;
    model: string;
    hash: string;
    vector: Uint8Array;
    created: number;
  };
  artifacts: ArtifactTable;
  events: {
    id: Generated<number>;
    at: number;
    kind: EventKind;
    task_id: number | null;
    session_id: string | null;
    run_id: number | null;
    data: Json;
    via: Channel | null;
  };
};

/** Enough for reading: a transaction, or the connection outside of one. */
export type Reader = Kysely<Database>;
/** Proof that a write transaction is open: every function that changes rows takes one. */
export type Writer = Transaction<Database>;
