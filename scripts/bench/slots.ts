// Slots and landing: how long a slot takes to be ready, how long a landing takes, and what several jobs bring.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { treeOfCommit } from '../../src/host/git/git.ts';
import { adoptSettings, type Place } from '../../src/host/git/own-git.ts';
import { landCommit } from '../../src/host/landing/land-commit.ts';
import { mergeCommits } from '../../src/host/landing/merge.ts';
import { advanceTrunk, findTrunk } from '../../src/host/landing/trunk.ts';
import { saveSessionWork } from '../../src/host/landing/work-refs.ts';
import { fillSlot, takeSlot } from '../../src/host/slots/fill-slot.ts';
import { slotAt } from '../../src/host/slots/slot.ts';
import { type Bench, median, timed } from './measure.ts';
import { makeProject } from './project.ts';

const FILES = 5_000;
const ROUNDS = 9;

type Repository = { place: Place; folder: string; git(...args: string[]): string };

function makeRepository(folder: string): Repository {
  const root = join(folder, 'repository');
  for (let group = 0; group < FILES / 100; group++) {
    mkdirSync(join(root, `group-${group}`), { recursive: true });
    for (let file = 0; file < 100; file++)
      writeFileSync(join(root, `group-${group}`, `${file}.txt`), `file ${file} of ${group}\n`.repeat(20));
  }
  const env = { PATH: process.env['PATH'], HOME: folder };
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=B', '-c', 'user.email=b@localhost', ...args], {
      cwd: root,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'Begin');
  return { place: { root, env, stateDir: join(root, '.git', 'ralph') }, folder, git };
}

const TRUNK = { branch: 'main', ref: 'refs/heads/ralph/main' };

const write = ({ place }: Repository, name: string): void =>
  writeFileSync(join(place.root, name), `${performance.now()}\n`);

/** A slot that was used before, with one changed file, against a new worktree of git. */
export const warmSlot: Bench = async (folder) => {
  const repository = makeRepository(folder);
  const { place, git } = repository;
  await adoptSettings(place);
  const slot = slotAt({ repository: place, folder: join(folder, 'slots') }, 'work', 1, 1);
  const commit = git('rev-parse', 'HEAD');
  const tree = await treeOfCommit(place, commit);
  const head = { commit, branch: 'task-1', trunk: TRUNK };
  const fill = async (): Promise<void> => void (await fillSlot(slot, { head, tree, isClean: false }));
  await fill();
  const pairs: { slot: number; worktree: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    writeFileSync(join(slot.tree, 'group-1', '1.txt'), `changed ${round}\n`);
    const ready = await timed(fill);
    const other = join(folder, `worktree-${round}`);
    const added = await timed(async () => void git('worktree', 'add', '-q', '--detach', other));
    rmSync(other, { recursive: true });
    pairs.push({ slot: ready, worktree: added });
  }
  return [
    {
      name: `a warm slot of ${FILES} files made ready, against git worktree add`,
      ratio: median(pairs.map((pair) => pair.slot / pair.worktree)),
      atMost: 0.25,
      detail: `${median(pairs.map((pair) => pair.slot)).toFixed(0)} ms against ${median(pairs.map(({ worktree }) => worktree)).toFixed(0)} ms`,
    },
  ];
};

/** Take the work, merge it onto a tip that has moved, and land it, against `git add` and `git commit` of the same change. */
export const landing: Bench = async (folder) => {
  const repository = makeRepository(folder);
  const { place, git } = repository;
  await adoptSettings(place);
  const slot = slotAt({ repository: place, folder: join(folder, 'slots') }, 'work', 1, 1);
  const trunk = findTrunk(place, null);
  const pairs: { landed: number; committed: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const base = git('rev-parse', 'HEAD');
    const head = { commit: base, branch: 'task-1', trunk: TRUNK };
    await fillSlot(slot, { head, tree: base, isClean: false });
    writeFileSync(join(slot.tree, `work-${round}.txt`), 'work\n');
    // The same change by git itself moves the tip meanwhile.
    write(repository, `other-${round}.txt`);
    const committed = await timed(async () => {
      git('add', '-A');
      git('commit', '-qm', 'Other');
    });
    const landed = await timed(async () => {
      const { tree } = await takeSlot(slot, base, []);
      const work = await saveSessionWork(place, { session_id: `s${round}`, task_id: 1, base, tree });
      const standing = await advanceTrunk(place, trunk);
      if (standing.kind === 'no_branch') throw new Error('no branch');
      const merge = await mergeCommits(place, standing.tip, work.commit);
      const input = { tip: standing.tip, tree: merge.tree, message: 'Land\n', signing: null };
      await landCommit(place, trunk, { ...input, onUnsigned: () => {} });
    });
    git('merge', '-q', '--ff-only', 'ralph/main');
    pairs.push({ landed, committed });
  }
  return [
    {
      name: `a landing on a moved tip without gates, ${FILES} files, against git add and git commit`,
      ratio: median(pairs.map((pair) => pair.landed / pair.committed)),
      atMost: 4,
      detail: `${median(pairs.map((pair) => pair.landed)).toFixed(0)} ms against ${median(pairs.map(({ committed }) => committed)).toFixed(0)} ms`,
    },
  ];
};

const TASKS = 24;

export const fourJobs: Bench = async (folder) => {
  const run = async (jobs: number): Promise<number> => {
    const own = join(folder, `jobs-${jobs}`);
    mkdirSync(own);
    const command = [resolve('scripts/bench/agents/two-seconds.sh')];
    const config = { agent: 'two', agents: { two: { command, protocol: 'sigils' } } };
    const project = await makeProject(own, { config, tasks: TASKS });
    return timed(async () => void (await project.ralph('run', '--jobs', String(jobs))));
  };
  const [one, four] = [await run(1), await run(4)];
  return [
    {
      name: `${TASKS} independent tasks of an agent that works two seconds, four jobs against one`,
      ratio: four / one,
      atMost: 0.35,
      detail: `${(four / 1_000).toFixed(1)} s against ${(one / 1_000).toFixed(1)} s`,
    },
  ];
};
