// A run that is killed between the push and the answer of GitHub, or while it settles a merge.
import { spawn } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { databasePath, findProject } from '../../../src/host/project.ts';
import { openBetterSqlite } from '../../../src/store/better-sqlite.ts';
import { fault, mergePull, onRequest } from '../../support/github.ts';
import { type PullProject, pullProject } from '../../support/pull-requests.ts';
import { WITHOUT_SANDBOX } from '../../support/ralph.ts';
import { done, shell } from '../../support/scripted-agent.ts';

/** Runs in processes of their own, each of which is killed at the point that was armed before. */
function killable({ project, github }: Pick<PullProject, 'project' | 'github'>) {
  const env = {
    ...WITHOUT_SANDBOX,
    HOME: project.home,
    PATH: process.env['PATH'],
    GH_ENTERPRISE_TOKEN: github.token ?? '',
  };
  const pidFile = join(project.home, 'pid');
  let pid = 0;
  return {
    killOn: (on: RegExp, isLate: boolean): void => {
      const kill = fault((response) => {
        process.kill(pid, 'SIGKILL');
        response.destroy();
      });
      github.faults.push(onRequest(on, kill, isLate));
    },
    hookKills: (name: string): void => {
      const hook = join(github.repository ?? '', 'hooks', name);
      const once = `[ -e ${pidFile} ] && kill -9 $(cat ${pidFile}) && rm ${pidFile}; exit 0`;
      writeFileSync(hook, `#!/bin/sh\n${once}\n`);
      chmodSync(hook, 0o755);
    },
    runKilled: async (point: string): Promise<void> => {
      const child = spawn(process.execPath, [inject('ralph'), 'run'], {
        cwd: project.root,
        env,
        stdio: 'ignore',
      });
      pid = child.pid ?? 0;
      if (point.startsWith('while git')) writeFileSync(pidFile, String(pid));
      const signal = await new Promise((ended) => child.once('exit', (_, how) => ended(how)));
      expect(signal, point).toBe('SIGKILL');
    },
  };
}

const work = (id: number) => [[shell(`echo work > ${id}.txt`), done()]];

it('a run that is killed at any point leaves one session of each task, and one branch and pull request of each task or feature', async () => {
  const made = await pullProject({ 1: work(1), 2: work(2), 3: work(3), 4: work(4) }, { per: 'feature' });
  const { github, ralph, json, at } = made;
  const { killOn, hookKills, runKilled } = killable(made);
  await json('feature', 'add', 'search');
  // Task 1 is alone, the others are of a feature.
  const points: [string, () => void][] = [
    ['after GitHub has opened it', () => killOn(/^POST .*\/pulls$/, true)],
    ['while git pushes the branch', () => hookKills('pre-receive')],
    ['before GitHub has the text with another receipt', () => killOn(/^PATCH .*\/pulls\/2$/, false)],
    ['after GitHub has the text with another receipt', () => killOn(/^PATCH .*\/pulls\/2$/, true)],
  ];
  for (const [index, [point, arm]] of points.entries()) {
    const id = index + 1;
    await json('add', `Task ${id}`, ...(id === 1 ? [] : ['--feature', 'search']));
    arm();
    await runKilled(point);
    expect(await ralph('run'), point).toMatchObject({ code: 10 });
    const shown = await json('show', String(id));
    const number = Math.min(id, 2);
    expect(shown, point).toMatchObject({ status: 'blocked', pull_request: { number, state: 'open' } });
    expect((shown['sessions'] as unknown[]).length, point).toBe(1);
    const heads = ['ralph/task-1-task-1', 'ralph/feature-search'].slice(0, number);
    expect(
      github.pulls.map(({ head }) => head),
      point,
    ).toEqual(heads);
    const branches = at('for-each-ref', '--format=%(refname:short)', 'refs/heads/ralph').split('\n');
    expect(branches.sort(), point).toEqual(heads.sort());
    expect(github.pulls.at(-1)?.body?.match(/^Ralph-Task: \d$/gm), point).toHaveLength(Math.max(1, id - 1));
  }
});

it('a run that is killed before GitHub opens a pull request, or while it settles merges, leaves each task done once', async () => {
  const made = await pullProject({ 1: work(1), 2: work(2), 3: work(3) });
  const { project, github, ralph, json, at, git, push } = made;
  const { killOn, runKilled } = killable(made);
  await json('add', 'One');
  await json('add', 'Two');
  killOn(/^POST .*\/pulls$/, false);
  await runKilled('before GitHub opens it');
  expect(github.pulls).toEqual([]);
  expect(await ralph('run')).toMatchObject({ code: 10 });
  expect(github.pulls.map(({ head }) => head)).toEqual(['ralph/task-1-one', 'ralph/task-2-two']);
  // With a commit of a person above it, Ralph asks whether the merge holds the work.
  push('ralph/task-1-one', 'kim.txt', 'by hand\n');
  const commits = [mergePull(github, 1), mergePull(github, 2)];
  killOn(/^GET .*\/compare\//, false);
  await runKilled('while it looks for the work in the merge');
  expect(await json('show', '1')).toMatchObject({ status: 'blocked' });
  killOn(/^GET .*\/pulls\/2$/, false);
  await runKilled('when one of two merges is settled');
  expect(await json('show', '1')).toMatchObject({ status: 'done' });
  expect(await json('show', '2')).toMatchObject({ status: 'blocked' });
  await json('add', 'Three', '--depends-on', '1,2');
  expect(await ralph('run')).toMatchObject({ code: 10 });
  for (const [index, commit] of commits.entries()) {
    const shown = await json('show', String(index + 1));
    expect(shown).toMatchObject({ status: 'done', receipt: { commit }, pull_request: { state: 'merged' } });
    expect(shown['sessions']).toHaveLength(1);
  }
  // The checkout followed both merges, and what comes next builds on them.
  expect([git('show', 'HEAD:1.txt'), git('show', 'HEAD:2.txt')]).toEqual(['work\n', 'work\n']);
  expect(github.pulls.map(({ head }) => head).slice(2)).toEqual(['ralph/task-3-three']);
  expect(at('log', '--format=%s', 'main..ralph/task-3-three')).toBe('Three');
  const db = openBetterSqlite(databasePath(findProject(project.root).stateDir));
  const told = db
    .prepare("select kind, task_id from events where kind in ('pull.opened', 'pull.merged') order by id")
    .all();
  db.close();
  expect(told).toEqual([
    { kind: 'pull.opened', task_id: 1 },
    { kind: 'pull.opened', task_id: 2 },
    { kind: 'pull.merged', task_id: 1 },
    { kind: 'pull.merged', task_id: 2 },
    { kind: 'pull.opened', task_id: 3 },
  ]);
});
