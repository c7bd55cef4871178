// What must hold after every story: one named function each.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type GitLook, lookWithGit, type QueueRows, readQueue } from './evidence.ts';
import { PERSONAL, type StoryProject, WORK } from './project.ts';
import type { RunEnd } from './story.ts';

type Evidence = QueueRows & { project: StoryProject; git: GitLook; ends: readonly RunEnd[] };

/** What does not hold, a line each. */
type Check = (evidence: Evidence) => string[];

function everyTaskIsDone({ tasks, ends }: Evidence): string[] {
  const last = ends.at(-1)?.output.trim().split('\n').slice(-3).join(' | ');
  return tasks
    .filter(({ status }) => status !== 'done')
    .map(({ id, status }) => `task ${id} is ${status}; the last run said: ${last}`);
}

function everyDoneHasItsWorkInItsCommit({ tasks, receipts, git }: Evidence): string[] {
  return tasks.flatMap(({ id, status }) => {
    if (status !== 'done') return [];
    const commit = receipts.find(({ task_id }) => task_id === id)?.commit_id ?? null;
    if (commit === null) return [`task ${id} is done without a commit`];
    if (git.text('merge-base', '--is-ancestor', commit, 'HEAD') === null)
      return [`the commit of task ${id} is not on the branch`];
    const files = git.lines('show', '--name-only', '--format=', commit);
    return (WORK[id] ?? [])
      .filter((file) => !files.includes(file))
      .map((file) => `the commit of task ${id} does not hold ${file}`);
  });
}

function noCommitHoldsTheWorkOfAnother({ git }: Evidence): string[] {
  const format = '%H %(trailers:key=Ralph-Task,valueonly,separator=%x2c)';
  return git.lines('log', `--format=${format}`, 'HEAD').flatMap((line) => {
    const [hash = '', task = ''] = line.split(' ');
    const own = WORK[Number(task)] ?? [];
    // The first commit has no parent and is the person's own.
    return git
      .lines('diff-tree', '--no-commit-id', '--name-only', '-r', hash)
      .filter((file) => !own.includes(file))
      .map((file) => `a commit of task ${task || 'nobody'} holds ${file}`);
  });
}

function everyTaskIsCommittedOnce({ git }: Evidence): string[] {
  const commits = git.lines('log', '--format=%(trailers:key=Ralph-Task,valueonly,separator=%x2c)', 'HEAD');
  return Object.keys(WORK).flatMap((id) => {
    const count = commits.filter((task) => task === id).length;
    return count <= 1 ? [] : [`task ${id} has ${count} commits`];
  });
}

/** The first task is refuted once, by its gate. A git that died costs no attempt. */
function noTaskPaysForGit({ tasks }: Evidence): string[] {
  return tasks
    .filter(({ id, attempts }) => attempts > (id === 1 ? 1 : 0))
    .map(({ id, attempts }) => `task ${id} was charged ${attempts} attempts`);
}

function aPersonsFilesAreAsTheyWere({ project: { root }, git }: Evidence): string[] {
  const status = git.lines('--no-optional-locks', 'status', '--porcelain', '--untracked-files=all');
  const expected = Object.entries(PERSONAL).map(([name, { status: code }]) => `${code} ${name}`);
  return [
    ...expected.filter((line) => !status.includes(line)).map((line) => `git status does not say "${line}"`),
    ...status.filter((line) => !expected.includes(line)).map((line) => `git status says "${line}"`),
    ...Object.entries(PERSONAL)
      .filter(([name, { text }]) => readText(join(root, name)) !== text)
      .map(([name]) => `${name} is not what a person wrote`),
  ];
}

function theRepositoryIsSound({ git }: Evidence): string[] {
  return git.text('fsck', '--strict', '--no-dangling') === null ? ['git fsck found damage'] : [];
}

function aFreshClonePassesTheGate({ project: { root, plainEnv } }: Evidence): string[] {
  const clone = join(dirname(root), 'clone');
  const options = { env: plainEnv, encoding: 'utf8' } as const;
  const cloned = spawnSync('git', ['clone', '-q', root, clone], options);
  if (cloned.status !== 0) return [`it cannot be cloned: ${cloned.stderr}`];
  const gate = spawnSync('sh', ['check.sh'], { ...options, cwd: clone });
  return gate.status === 0 ? [] : [`a fresh clone fails the gate: ${gate.stdout.trim()}`];
}

function noRunCrashed({ ends }: Evidence): string[] {
  return ends
    .filter(({ code, output }) => code === null || /^ {4}at /m.test(output))
    .map(({ code, output }) => `a run crashed with ${code}: ${output.slice(-400)}`);
}

const CHECKS: readonly Check[] = [
  everyTaskIsDone,
  everyDoneHasItsWorkInItsCommit,
  noCommitHoldsTheWorkOfAnother,
  everyTaskIsCommittedOnce,
  noTaskPaysForGit,
  aPersonsFilesAreAsTheyWere,
  theRepositoryIsSound,
  aFreshClonePassesTheGate,
  noRunCrashed,
];

/** Each line with the name of its check. */
export function brokenPromises(project: StoryProject, ends: readonly RunEnd[]): string[] {
  const git = lookWithGit(project.root, project.plainEnv);
  const evidence = { ...readQueue(project.root), project, git, ends };
  return CHECKS.flatMap((check) => check(evidence).map((line) => `${check.name}: ${line}`));
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
