// A run that is killed between the push and the answer of GitHub.
import { spawn } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { fault, onRequest } from '../../support/github.ts';
import { pullProject } from '../../support/pull-requests.ts';
import { WITHOUT_SANDBOX } from '../../support/ralph.ts';
import { done, shell } from '../../support/scripted-agent.ts';

it('a run that is killed at any point leaves one session of each task, and one branch and pull request of each task or feature', async () => {
  const work = (id: number) => [[shell(`echo work > ${id}.txt`), done()]];
  const { project, github, ralph, json, at } = await pullProject(
    { 1: work(1), 2: work(2), 3: work(3), 4: work(4) },
    { per: 'feature' },
  );
  await json('feature', 'add', 'search');
  const env = {
    ...WITHOUT_SANDBOX,
    HOME: project.home,
    PATH: process.env['PATH'],
    GH_ENTERPRISE_TOKEN: github.token ?? '',
  };
  const pidFile = join(project.home, 'pid');
  const hooks = join(github.repository ?? '', 'hooks');
  let pid = 0;
  const killOn = (on: RegExp, isLate: boolean): void => {
    const kill = fault((response) => {
      process.kill(pid, 'SIGKILL');
      response.destroy();
    });
    github.faults.push(onRequest(on, kill, isLate));
  };
  const hookKills = (name: string): void => {
    const once = `[ -e ${pidFile} ] && kill -9 $(cat ${pidFile}) && rm ${pidFile}; exit 0`;
    writeFileSync(join(hooks, name), `#!/bin/sh\n${once}\n`);
    chmodSync(join(hooks, name), 0o755);
  };
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
    const child = spawn(process.execPath, [inject('ralph'), 'run'], {
      cwd: project.root,
      env,
      stdio: 'ignore',
    });
    pid = child.pid ?? 0;
    if (point.startsWith('while')) writeFileSync(pidFile, String(pid));
    const signal = await new Promise((ended) => child.once('exit', (_, how) => ended(how)));
    expect(signal, point).toBe('SIGKILL');
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
