// Everything that is left after a round, read by other means than Ralph's own: SQL, git, the file system, /proc.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import Database from 'better-sqlite3';
import { type Acknowledged, type GateSeen, readAcknowledged, readGates } from './ledger.ts';
import type { Plan } from './plan.ts';
import { type Process, processesOf } from './processes.ts';
import { type ChaosProject, PERSONAL } from './project.ts';
import type { RunEnd } from './round.ts';

export const PHASES = [
  'before it spoke',
  'while it spoke',
  'after its closing verb',
  'after its gates',
] as const;
export type Phase = (typeof PHASES)[number];

export type Evidence = {
  plan: Plan;
  runEnds: RunEnd[];
  acknowledged: Acknowledged[];
  gatesSeen: GateSeen[];
  tasks: { id: number; status: string; open_blockers: number; counted: number }[];
  runs: { id: number; ended: number | null }[];
  sessions: { id: string; task_id: number; token: number; ended: number | null; outcome: string | null }[];
  signals: { session_id: string; verb: string; payload: string }[];
  receipts: { task_id: number; session_id: string; commit_id: string | null; tree_hash: string | null }[];
  gateRuns: { session_id: string; passed: number; tree_hash: string | null }[];
  /** How far the sessions had come whose supervisor was killed. */
  adopted: { phase: Phase }[];
  /** What SQLite says of the database: "ok", and no foreign key that points nowhere. */
  integrity: string[];
  commits: { hash: string; task: number; session: string; files: string[] }[];
  fsck: { code: number | null; output: string };
  /** Text of a file at HEAD; null where there is none. */
  committed: Readonly<Record<string, string | null>>;
  refs: string[];
  status: string[];
  personal: Readonly<Record<string, string | null>>;
  /** The sessions that the journal has a line of, as often as it has one. A line that a kill tore has none. */
  journal: string[];
  /** Below the git directory, Ralph's state included. */
  gitFiles: string[];
  processes: Process[];
};

export async function gatherEvidence(
  plan: Plan,
  { folder, root, ledger, env }: ChaosProject,
  runEnds: RunEnd[],
): Promise<Evidence> {
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, env, encoding: 'utf8' });
  const rows = readDatabase(join(root, '.git/ralph/ralph.db'));
  const fsck = spawnSync('git', ['fsck', '--strict', '--no-dangling'], { cwd: root, env, encoding: 'utf8' });
  const markers = [`RALPH_CHAOS=${folder}`, ...rows.sessions.map(({ id }) => `RALPH_SESSION_ID=${id}`)];
  const works = [...plan.tasks.map(({ id }) => `work/${id}.txt`), 'shared.txt'];
  return {
    plan,
    runEnds,
    acknowledged: readAcknowledged(ledger),
    gatesSeen: readGates(ledger),
    ...rows,
    commits: commitsOf(git),
    fsck: { code: fsck.status, output: `${fsck.stdout}${fsck.stderr}` },
    committed: Object.fromEntries(works.map((path) => [path, textAtHead(root, env, path)])),
    refs: lines(git('for-each-ref', '--format=%(refname)', 'refs/ralph')),
    status: lines(git('--no-optional-locks', 'status', '--porcelain', '--untracked-files=all')),
    personal: Object.fromEntries(Object.keys(PERSONAL).map((name) => [name, textOf(join(root, name))])),
    journal: journalOf(join(root, '.ralph/memory')),
    gitFiles: filesBelow(join(root, '.git')),
    processes: processesOf(folder, markers),
  };
}

type Rows = Pick<
  Evidence,
  'tasks' | 'runs' | 'sessions' | 'signals' | 'receipts' | 'gateRuns' | 'adopted' | 'integrity'
>;

const EARLIER = 'select 1 from events where session_id = adoption.session_id and events.id < adoption.id';

function readDatabase(path: string): Rows {
  const db = new Database(path, { readonly: true });
  try {
    const all = <T>(sql: string): T[] => db.prepare<[], T>(sql).all();
    return {
      tasks: all(`select id, status, open_blockers, (
        select count(*) from task_dependencies join tasks as other on other.id = depends_on
        where task_id = tasks.id and other.status not in ('done', 'skipped')) as counted from tasks order by id`),
      runs: all('select id, ended from runs'),
      sessions: all('select id, task_id, token, ended, outcome from sessions order by token'),
      signals: all('select session_id, verb, payload from signals order by id'),
      receipts: all('select task_id, session_id, commit_id, tree_hash from receipts'),
      gateRuns: all('select session_id, passed, tree_hash from gate_runs'),
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

function commitsOf(git: (...args: string[]) => string): Evidence['commits'] {
  const format =
    '%H %(trailers:key=Ralph-Task,valueonly,separator=%x2c) %(trailers:key=Ralph-Session,valueonly,separator=%x2c)';
  return lines(git('log', '--grep=Ralph-Task:', `--format=${format}`)).map((line) => {
    const [hash = '', task = '', session = ''] = line.split(' ');
    return { hash, task: Number(task), session, files: lines(git('show', '--name-only', '--format=', hash)) };
  });
}

function textAtHead(root: string, env: ChaosProject['env'], path: string): string | null {
  const shown = spawnSync('git', ['show', `HEAD:${path}`], { cwd: root, env, encoding: 'utf8' });
  return shown.status === 0 ? shown.stdout : null;
}

function journalOf(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .flatMap((name) => lines(readFileSync(join(folder, name), 'utf8')))
    .flatMap((line) => (line.endsWith('}') ? [String(JSON.parse(line).session)] : []));
}

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

const textOf = (path: string): string | null => (existsSync(path) ? readFileSync(path, 'utf8') : null);

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
