// Everything that is left after a round, read by other means than Ralph's own: SQL, git, the file system, /proc.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { PersonLog } from './disturb/person-log.ts';
import { type Snapshot, takeSnapshot } from './disturb/second-tree.ts';
import { gitIn, judgeClone, plantedAnew, readBranches, splitLines } from './evidence/repository.ts';
import { readDatabase } from './evidence/rows.ts';
import { type Acknowledged, type GateSeen, readAcknowledged, readGates } from './ledger.ts';
import type { PlannedWork } from './plan.ts';
import { findProcesses, type Process } from './processes.ts';
import type { Disturbed } from './round.ts';
import type { Contest, RunEnd, Scene, Survivor } from './scene.ts';

export const PHASES = [
  'before it spoke',
  'while it spoke',
  'after its closing verb',
  'after its gates',
] as const;
export type Phase = (typeof PHASES)[number];

/** `changed`: the added and removed lines. */
export type TaskCommit = {
  hash: string;
  tree: string;
  task: number;
  session: string;
  files: string[];
  changed: string[];
};

export type Branch = {
  name: string;
  log: { hash: string; subject: string }[];
  /** Text of a file at its newest commit; null where there is none. */
  files: Readonly<Record<string, string | null>>;
  taskCommits: TaskCommit[];
};

/** What every round leaves, on one machine or on several. */
export type CommonEvidence = {
  plan: PlannedWork;
  disturbed: readonly { victim: string }[];
  acknowledged: Acknowledged[];
  gatesSeen: GateSeen[];
  tasks: {
    id: number;
    status: string;
    open_blockers: number;
    counted: number;
    attempts: number;
    stuck_count: number;
  }[];
  runs: { id: number; pid: number; ended: number | null }[];
  sessions: {
    id: string;
    task_id: number;
    token: number;
    ended: number | null;
    outcome: string | null;
    /** What Ralph told the next session of the task, such as why it could not check the work. */
    told?: string | null;
  }[];
  signals: { session_id: string; verb: string; payload: string }[];
  receipts: { task_id: number; session_id: string; commit_id: string | null; tree_hash: string | null }[];
  gateRuns: { session_id: string; passed: number; tree_hash: string | null }[];
  branches: Branch[];
  /** What the gate says in a fresh clone, commit by commit. */
  clones: { commit: string; code: number | null; output: string }[];
  fsck: { code: number | null; output: string };
  refs: string[];
  person: PersonLog;
  /** Beside the slots. */
  slotFiles: string[];
  /** Below the git directory, Ralph's state included. */
  gitFiles: string[];
  /** What sessions at work reach Ralph by, which may hold secrets. */
  runtimeFiles: string[];
  processes: Process[];
};

export type Evidence = Omit<CommonEvidence, 'disturbed'> & {
  disturbed: readonly Disturbed[];
  runEnds: readonly RunEnd[];
  contests: readonly Contest[];
  survivors: readonly Survivor[];
  /** The events of sessions, in their order. */
  events: { kind: string; session_id: string; run_id: number | null }[];
  /** How far the sessions had come whose supervisor was killed. */
  adopted: { phase: Phase }[];
  /** What SQLite says of the database: "ok", and no foreign key that points nowhere. */
  integrity: string[];
  status: string[];
  personal: Readonly<Record<string, string | null>>;
  secondTree: { before: Snapshot; after: Snapshot } | null;
  /** The sessions that the journal has a line of, as often as it has one. A line that a kill tore has none. */
  journal: string[];
  /** The trees of landed commits that Ralph put on top of rewritten ones. */
  planted: string[];
  /** Commits that landed on the trunk and are not on the main branch. */
  behind: string[];
};

export function gatherEvidence(plan: PlannedWork, scene: Scene, disturbed: readonly Disturbed[]): Evidence {
  const repository = askGit(plan, scene);
  return {
    plan,
    disturbed,
    runEnds: scene.ends,
    contests: scene.contests,
    survivors: scene.survivors,
    ...readRemains(scene),
    ...repository,
    clones: judgeClones(scene, repository.branches),
  };
}

/** What the database says, and what lies beside it; no git is asked. */
export function readRemains({ project: { folder, root, ledger } }: Scene) {
  const rows = readDatabase(join(root, '.git/ralph/ralph.db'));
  const markers = [`RALPH_CHAOS=${folder}`, ...rows.sessions.map(({ id }) => `RALPH_SESSION_ID=${id}`)];
  return {
    ...rows,
    acknowledged: readAcknowledged(ledger),
    gatesSeen: readGates(ledger),
    journal: readJournal(join(root, '.ralph/memory')),
    slotFiles: slotFilesIn(join(folder, 'home/.local/state/ralph/slots')),
    gitFiles: filesBelow(join(root, '.git')),
    runtimeFiles: filesBelow(join(folder, 'run')),
    processes: findProcesses(folder, markers),
  } satisfies Partial<Evidence>;
}

/** The repository, with the files of the person and their second work tree. */
export function askGit(plan: PlannedWork, { project, person, secondTree }: Scene) {
  const { root, env } = project;
  const git = gitIn(project, root);
  const fsck = spawnSync('git', ['fsck', '--strict', '--no-dangling'], { cwd: root, env, encoding: 'utf8' });
  const works = [...plan.tasks.flatMap(({ id }) => [`work/${id}.txt`, `claims/${id}.txt`]), 'shared.txt'];
  const planted = plantedAnew(git, person);
  return {
    branches: readBranches(git, person, [...works, ...person.files.map(({ path }) => path)]),
    fsck: { code: fsck.status, output: `${fsck.stdout}${fsck.stderr}` },
    refs: splitLines(git('for-each-ref', '--format=%(refname)', 'refs/ralph')),
    status: splitLines(git('--no-optional-locks', 'status', '--porcelain', '--untracked-files=all')),
    personal: Object.fromEntries([...person.drafts.keys()].map((name) => [name, readText(join(root, name))])),
    person: { ...person, rewritten: new Map([...person.rewritten, ...planted]) },
    planted: [...planted.values()].map((commit) => git('rev-parse', `${commit}^{tree}`).trim()),
    secondTree:
      secondTree === null ? null : { before: secondTree.before, after: takeSnapshot(secondTree.root, env) },
    behind: splitLines(git('rev-list', 'main..refs/heads/ralph/main')),
  } satisfies Partial<Evidence>;
}

/** The checkout, each commit of a task, and each merge. */
export function judgeClones({ project }: Scene, branches: readonly Branch[]): Evidence['clones'] {
  const head = gitIn(project, project.root)('rev-parse', 'HEAD').trim();
  const commits = [
    head === '' ? 'HEAD' : head,
    ...branches.flatMap(({ taskCommits }) => taskCommits.map(({ hash }) => hash)),
    ...branches.flatMap(({ log }) => log.flatMap(({ hash, subject }) => (isMerge(subject) ? [hash] : []))),
  ];
  return judgeClone(project, [...new Set(commits)]);
}

/** Ralph's merges of the person's commits. */
const isMerge = (subject: string): boolean => /^Merge branch '.*' into ralph\//.test(subject);

function readJournal(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .flatMap((name) => splitLines(readFileSync(join(folder, name), 'utf8')))
    .flatMap((line) => (line.endsWith('}') ? [String(JSON.parse(line).session)] : []));
}

export function slotFilesIn(folder: string): string[] {
  const projects = existsSync(folder) ? readdirSync(folder) : [];
  return projects.flatMap((project) => readdirSync(join(folder, project)));
}

const readText = (path: string): string | null => (existsSync(path) ? readFileSync(path, 'utf8') : null);

export const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
