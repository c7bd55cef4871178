CREATE TABLE metadata (
  key text primary key,
  value text not null
) strict;

CREATE TABLE disciplines (
  name text primary key,
  display_name text,
  acronym text,
  icon text,
  color text,
  system_prompt text,
  skills text not null default '[]',
  conventions text,
  mcp_servers text not null default '[]',
  model text,
  tools text not null default '[]',
  defined text,
  created integer not null,
  updated integer not null
, effort text check (effort in ('low', 'medium', 'high', 'xhigh', 'max')), image_path text, crops text, image_prompt text, agent text) strict;

CREATE TABLE features (
  name text primary key,
  display_name text,
  acronym text,
  description text,
  architecture text,
  boundaries text,
  knowledge_paths text not null default '[]',
  context_files text not null default '[]',
  priority integer,
  status text not null default 'active' check (status in ('planned', 'active', 'done', 'deprecated')),
  spec_file text,
  acceptance_criteria text not null default '[]',
  defined text,
  created integer not null,
  updated integer not null
, recorded integer) strict;

CREATE TABLE feature_dependencies (
  feature text not null references features (name) on delete restrict,
  depends_on text not null references features (name) on delete restrict,
  primary key (feature, depends_on),
  check (feature <> depends_on)
) strict;

CREATE INDEX feature_dependencies_depends_on on feature_dependencies (depends_on);

CREATE TABLE tasks (
  id integer primary key,
  feature text references features (name) on delete restrict,
  discipline text references disciplines (name) on delete restrict,
  parent integer references tasks (id) on delete restrict deferrable initially deferred,
  title text not null check (title <> ''),
  description text,
  status text not null check (status in
    ('draft', 'pending', 'in_progress', 'needs_input', 'blocked', 'failed', 'done', 'skipped')),
  priority text not null default 'medium' check (priority in ('critical', 'high', 'medium', 'low')),
  priority_rank integer not null generated always as
    (case priority when 'critical' then 0 when 'high' then 1 when 'medium' then 2 else 3 end) stored,
  feature_rank integer not null,
  provenance text not null default 'human' check (provenance in ('agent', 'human', 'system')),
  blocked_by text,
  acceptance_criteria text not null default '[]',
  context_files text not null default '[]',
  output_artifacts text not null default '[]',
  hints text,
  pseudocode text,
  estimated_turns integer,
  model text,
  tags text not null default '[]',
  attempts integer not null default 0,
  stuck_count integer not null default 0,
  open_blockers integer not null default 0 check (open_blockers >= 0),
  token integer not null default 0,
  not_before integer,
  defined text,
  created integer not null,
  updated integer not null,
  completed integer,
  enriched_at integer
, kind text not null default 'change' check (kind in ('change', 'investigate')), effort text check (effort in ('low', 'medium', 'high', 'xhigh', 'max')), archived integer check (archived is null or status in ('done', 'skipped')), needs text not null default '[]', agent text) strict;

CREATE INDEX tasks_feature on tasks (feature, id);

CREATE INDEX tasks_discipline on tasks (discipline);

CREATE INDEX tasks_parent on tasks (parent);

CREATE TABLE task_dependencies (
  task_id integer not null references tasks (id) on delete restrict,
  depends_on integer not null references tasks (id) on delete restrict,
  defined integer not null default 0 check (defined in (0, 1)),
  primary key (task_id, depends_on),
  check (task_id <> depends_on)
) strict, without rowid;

CREATE INDEX task_dependencies_depends_on on task_dependencies (depends_on, task_id);

CREATE TABLE runs (
  id integer primary key,
  pid integer not null,
  process_started text,
  started integer not null,
  ended integer,
  stop_reason text,
  resume_at integer
, kind text not null default 'supervisor' check (kind in ('supervisor', 'interactive')), host text, boot text, pid_namespace text, heartbeat integer, root text, jobs integer, version text, lease_since integer, lease_until integer, parked text not null default '[]') strict;

CREATE INDEX runs_open on runs (id) where ended is null;

CREATE TABLE sessions (
  id text primary key,
  run_id integer not null references runs (id) on delete restrict,
  task_id integer not null references tasks (id) on delete restrict,
  token integer not null,
  base_commit text,
  started integer not null,
  closing integer,
  ended integer,
  end_state text,
  outcome text,
  model text,
  turns integer not null default 0,
  input_tokens integer not null default 0,
  output_tokens integer not null default 0,
  cost_usd real not null default 0, next_model text, journaled integer, root text, variant text, slot integer, phase text check (phase in ('working', 'proving', 'landing')), work_commit text, landing_since integer,
  unique (task_id, token)
) strict;

CREATE INDEX sessions_run on sessions (run_id);

CREATE INDEX sessions_open on sessions (started) where ended is null;

CREATE TABLE task_comments (
  id integer primary key,
  task_id integer not null references tasks (id) on delete restrict,
  session_id text references sessions (id) on delete restrict,
  author text not null check (author in ('human', 'agent', 'system')),
  body text not null,
  created integer not null
, agent_task_id integer) strict;

CREATE INDEX task_comments_task on task_comments (task_id, id);

CREATE TABLE feature_comments (
  id integer primary key,
  feature text references features (name) on delete restrict,
  scope text not null check (scope in ('project', 'feature', 'task')),
  category text not null check (category in ('discovery', 'decision', 'convention', 'gotcha', 'architecture')),
  body text not null,
  summary text,
  reason text,
  discipline text references disciplines (name) on delete restrict,
  task_id integer references tasks (id) on delete restrict,
  session_id text references sessions (id) on delete restrict,
  hash text not null,
  created integer not null
, confirmations integer not null default 0, conflicts_with integer references feature_comments (id) on delete set null, archived integer, archived_by text check (archived_by in ('bound', 'person')), given integer not null default 0, passed integer not null default 0, proven integer, author text not null default 'agent' check (author in ('agent', 'person'))) strict;

CREATE INDEX feature_comments_feature on feature_comments (feature, id);

CREATE UNIQUE INDEX feature_comments_hash on feature_comments (coalesce(feature, ''), scope, hash);

CREATE TABLE signals (
  id integer primary key,
  session_id text not null references sessions (id) on delete restrict,
  call_id text,
  verb text not null check (verb in ('done', 'partial', 'stuck', 'ask', 'flag', 'learned', 'suggest', 'blocked')),
  payload text not null,
  created integer not null,
  unique (session_id, call_id)
) strict;

CREATE TABLE questions (
  id integer primary key,
  task_id integer not null references tasks (id) on delete restrict,
  signal_id integer unique references signals (id) on delete restrict,
  question text not null,
  blocking integer not null check (blocking in (0, 1)),
  options text not null default '[]',
  preferred text,
  answer text,
  asked integer not null,
  answered integer
, approves text references sessions (id) on delete restrict, dismissed integer) strict;

CREATE INDEX questions_task on questions (task_id, id);

CREATE INDEX questions_open on questions (id) where answer is null;

CREATE TABLE gate_runs (
  id integer primary key,
  session_id text not null references sessions (id) on delete restrict,
  name text not null,
  command text not null,
  required integer not null check (required in (0, 1)),
  passed integer not null check (passed in (0, 1)),
  exit_code integer,
  duration_ms integer not null,
  tail text not null,
  log text,
  tree_hash text,
  created integer not null
, definition text, baseline integer not null default 0 check (baseline in (0, 1)), was_red integer not null default 0 check (was_red in (0, 1)), flaky integer not null default 0 check (flaky in (0, 1)), seal text) strict;

CREATE INDEX gate_runs_session on gate_runs (session_id, id);

CREATE TABLE receipts (
  id integer primary key,
  task_id integer not null references tasks (id) on delete restrict,
  session_id text not null unique references sessions (id) on delete restrict,
  summary text not null,
  gates text not null,
  commit_id text,
  tree_hash text,
  diff_stat text,
  model text,
  turns integer not null,
  input_tokens integer not null,
  output_tokens integer not null,
  cost_usd real not null,
  learnings text not null default '[]',
  created integer not null
, no_change_reason text) strict;

CREATE INDEX receipts_task on receipts (task_id, id);

CREATE TABLE comment_embeddings (
  comment_id integer not null references feature_comments (id) on delete restrict,
  model text not null,
  hash text not null,
  vector blob not null,
  created integer not null,
  primary key (comment_id, model)
) strict;

CREATE TABLE reviews (
  id integer primary key,
  session_id text not null references sessions (id) on delete restrict,
  call_id text,
  approved integer not null check (approved in (0, 1)),
  text text not null,
  created integer not null,
  unique (session_id, call_id)
) strict;

CREATE TABLE "events" (
  id integer primary key,
  at integer not null,
  kind text not null,
  task_id integer,
  session_id text,
  run_id integer,
  data text not null default '{}'
, via text) strict;

CREATE INDEX gate_runs_tree on gate_runs (tree_hash, id) where tree_hash is not null;

CREATE INDEX feature_comments_conflict on feature_comments (conflicts_with) where conflicts_with is not null;

CREATE INDEX feature_comments_active on feature_comments (feature, scope, id) where archived is null;

CREATE VIRTUAL TABLE learning_words using fts5 (words, tokenize = 'porter unicode61 remove_diacritics 2');

CREATE TABLE 'learning_words_data'(id INTEGER PRIMARY KEY, block BLOB);

CREATE TABLE 'learning_words_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;

CREATE TABLE 'learning_words_content'(id INTEGER PRIMARY KEY, c0);

CREATE TABLE 'learning_words_docsize'(id INTEGER PRIMARY KEY, sz BLOB);

CREATE TABLE 'learning_words_config'(k PRIMARY KEY, v) WITHOUT ROWID;

CREATE TABLE session_learnings (
  session_id text not null references sessions (id) on delete restrict,
  learning_id integer not null references feature_comments (id) on delete cascade,
  primary key (session_id, learning_id)
) strict, without rowid;

CREATE INDEX session_learnings_learning on session_learnings (learning_id);

CREATE INDEX sessions_unjournaled on sessions (ended) where journaled is null and ended is not null;

CREATE TABLE feature_files (
  feature text not null references features (name) on delete restrict,
  path text not null,
  session_id text not null references sessions (id) on delete restrict,
  primary key (feature, path, session_id)
) strict, without rowid;

CREATE TABLE task_references (
  source text not null,
  board text not null,
  id text not null,
  task_id integer not null references tasks (id) on delete restrict,
  seen text,
  primary key (source, board, id)
) strict;

CREATE INDEX task_references_task on task_references (task_id);

CREATE INDEX events_task on events (task_id, id) where kind not in ('task.added', 'signal.recorded');

CREATE INDEX events_stop_asked on events (run_id) where kind = 'run.stop_asked';

CREATE TABLE feature_context_files (
  feature text not null references features (name) on delete restrict,
  path text not null,
  task_id integer not null references tasks (id) on delete restrict,
  session_id text not null references sessions (id) on delete restrict,
  added integer not null,
  removed integer,
  primary key (feature, path)
) strict, without rowid;

CREATE TABLE flags (
  id integer primary key,
  task_id integer not null references tasks (id) on delete restrict,
  signal_id integer not null unique references signals (id) on delete restrict,
  severity text not null check (severity in ('info', 'warning', 'blocking')),
  closed integer,
  note text
) strict;

CREATE INDEX flags_open on flags (severity, id) where closed is null;

CREATE INDEX flags_task on flags (task_id, id);

CREATE INDEX questions_answered on questions (answered) where answer is not null;

CREATE INDEX tasks_archived on tasks (status, feature) where archived is not null;

CREATE INDEX tasks_ready on tasks (status, open_blockers, not_before, priority_rank, feature_rank, id);

CREATE INDEX events_planning on events (at) where kind = 'planning.ended';

CREATE INDEX sessions_variant on sessions (variant) where variant is not null;

CREATE TABLE written_files (
  session_id text not null references sessions (id) on delete restrict,
  path text not null,
  primary key (session_id, path)
) strict, without rowid;

CREATE INDEX events_landing on events (run_id) where kind = 'landing.ended';

CREATE INDEX gate_runs_flaky on gate_runs (name, created) where flaky = 1;

CREATE INDEX gate_runs_name on gate_runs (name, created);

CREATE TABLE evidence (
  id integer primary key,
  at integer not null,
  kind text not null check (kind in ('receipt', 'commit', 'imported', 'rebuilt', 'accepted', 'existing', 'reopened')),
  task_id integer not null,
  receipt_id integer,
  digest text,
  commit_id text,
  hash text not null
) strict;

CREATE INDEX evidence_task on evidence (task_id, id, kind);

CREATE INDEX evidence_receipt on evidence (receipt_id, kind) where receipt_id is not null;

CREATE INDEX feature_comments_unproven on feature_comments (task_id, id) where proven is null;

CREATE TABLE notifications (
  id integer primary key,
  event_id integer not null,
  target text not null,
  kind text not null check (kind in ('question', 'failed', 'approval', 'limit', 'finished')),
  body text not null,
  command text not null,
  created integer not null,
  attempts integer not null default 0,
  next_try integer not null,
  told integer, problem text,
  unique (event_id, target)
) strict;

CREATE INDEX notifications_due on notifications (next_try) where told is null;

CREATE INDEX tasks_needs on tasks (id) where needs <> '[]';

CREATE INDEX sessions_landing on sessions (landing_since) where landing_since is not null;

CREATE TABLE artifacts (
  session_id text not null references sessions (id) on delete restrict,
  name text not null,
  seq integer not null,
  length integer not null,
  digest text not null,
  body blob not null,
  created integer not null,
  primary key (session_id, name, seq)
) strict;

CREATE TABLE pull_requests (
  id integer primary key,
  branch text not null,
  base text not null,
  number integer,
  url text,
  state text not null default 'open' check (state in ('open', 'merged', 'closed')),
  seen_review integer not null default 0,
  seen_comment integer not null default 0,
  returned text,
  conflicts integer not null default 0,
  changed integer not null,
  next_look integer not null
, feature text) strict;

CREATE INDEX pull_requests_open on pull_requests (next_look) where state = 'open';

CREATE TABLE pull_request_parts (
  pull_id integer not null references pull_requests (id) on delete cascade,
  task_id integer not null references tasks (id) on delete restrict,
  session_id text not null references sessions (id) on delete restrict,
  head text not null,
  tree_hash text,
  diff_stat text,
  described text,
  waits integer not null check (waits in (0, 1)),
  pushed integer not null,
  primary key (pull_id, task_id)
) strict, without rowid;

CREATE INDEX pull_requests_branch on pull_requests (branch, id);

CREATE INDEX pull_request_parts_task on pull_request_parts (task_id, pull_id);
