// A second work tree of the same repository, with files of a person's in it, from which a run is tried.
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Of } from '../disturbance.ts';
import { awaitMoment } from '../moment.ts';
import { hasOpen, hasOpenRun } from '../open-rows.ts';
import { signal } from '../processes.ts';
import { type ChaosProject, PERSONAL, type Programs } from '../project.ts';
import { startRun } from '../running.ts';
import { endRun, type RunEnd, requireRunning, type Scene } from '../scene.ts';
import { whileFrozen } from './freeze.ts';

export type Snapshot = {
  branch: string;
  commit: string;
  status: string;
  files: Readonly<Record<string, string>>;
};

export type SecondTree = { root: string; before: Snapshot };

const BRANCH = 'second';

/** While the first tree is at work, and again after its supervisor was killed in the middle of a session. */
export async function tryFromSecondTree(scene: Scene, { moment }: Of<'worktree'>): Promise<string | null> {
  const { project } = scene;
  const tree = scene.secondTree ?? makeSecondTree(project, scene.programs);
  scene.secondTree = tree;
  const running = requireRunning(scene);
  await awaitMoment(project, running, moment);
  if (running.isOver()) return null;
  // Frozen, the first run cannot end before the second has looked: then the second could work for good reason.
  await whileFrozen(project, running, async () => {
    if (hasOpenRun(project.root, running.pid)) await tryRun(scene, tree, 'beside');
  });
  if (running.isOver() || !signal(running.pid, 'SIGKILL')) return 'at work';
  await endRun(scene, { killed: true });
  if (!hasOpen(project.root, 'sessions')) return 'at work';
  // It may work on other tasks there, but it may not finish what was left in the first tree.
  await tryRun(scene, tree, 'elsewhere', ['--max-sessions', '0']);
  return 'at work and killed';
}

async function tryRun(
  scene: Scene,
  { root }: SecondTree,
  kind: 'beside' | 'elsewhere',
  args: readonly string[] = [],
): Promise<void> {
  const { env } = scene.project;
  spawnSync(process.execPath, [scene.programs.ralph, 'status', '--json'], { cwd: root, env });
  const run = startRun({ root, env }, scene.programs, args);
  const end: RunEnd = { pid: run.pid, ...(await run.ended), killed: false, mayBeRefused: true };
  scene.contests.push({ kind, worker: null, runs: [end] });
}

export function makeSecondTree({ folder, root: first, env }: ChaosProject, { ralph }: Programs): SecondTree {
  const root = join(folder, 'second');
  const git = gitIn(first, env);
  git('worktree', 'add', '-q', '-b', BRANCH, root);
  for (const [name, { text }] of Object.entries(PERSONAL)) writeFileSync(join(root, name), text);
  gitIn(root, env)('add', 'staged.txt');
  // On a terminal: beside a run, trust needs one.
  const trust = `'${process.execPath}' '${ralph}' trust --yes`;
  execFileSync('script', ['-qec', trust, '/dev/null'], {
    cwd: root,
    env,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  return { root, before: takeSnapshot(root, env) };
}

export function takeSnapshot(root: string, env: ChaosProject['env']): Snapshot {
  const git = gitIn(root, env);
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return {
    branch: git('rev-parse', '--symbolic-full-name', 'HEAD').trim(),
    commit: git('rev-parse', 'HEAD').trim(),
    status: git('--no-optional-locks', 'status', '--porcelain', '--untracked-files=all'),
    files: Object.fromEntries(files.map((path) => [relative(root, path), readFileSync(path, 'utf8')])),
  };
}

const gitIn =
  (cwd: string, env: ChaosProject['env']) =>
  (...args: string[]): string =>
    execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: 'pipe' });
