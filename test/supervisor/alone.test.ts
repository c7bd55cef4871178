// Several `ralph run` that start at the same moment: one works, the others say which one.
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { identify } from '../../src/host/processes/process-identity.ts';
import { startRun, startRunAlone } from '../../src/queue/sessions/runs.ts';
import { status } from '../../src/queue/tasks/status.ts';
import { openTestQueue } from '../support/queue.ts';
import { type Ran, run } from '../support/ralph.ts';
import { done, scripted, shell } from '../support/scripted-agent.ts';

const RUNS = 8;
const ANOTHER =
  /^ralph: Another ralph run is at work here: pid \d+, since \d{4}-\d\d-\d\d \d\d:\d\d\. Wait for it, or end it first\.\n$/;

it('exactly one of eight runs that start at the same moment works, and seven say who does', async () => {
  const { project, write } = await scripted({});
  const go = join(project.home, 'go');
  write(1, [[shell(`while [ ! -e "${go}" ]; do sleep 0.05; done`), done()]]);
  await project.json('add', 'One');
  const refused: Ran[] = [];
  const runs = Array.from({ length: RUNS }, async () => {
    const ran = await project.ralph('run');
    if (ran.code === 1) refused.push(ran);
    return ran;
  });
  // A test that fails must not leave a run that waits for ever.
  onTestFinished(async () => {
    writeFileSync(go, '');
    await Promise.all(runs);
  });
  // The one that works holds its session until every other one has ended.
  await expect.poll(() => refused.length).toBe(RUNS - 1);
  writeFileSync(go, '');
  const codes = (await Promise.all(runs)).map(({ code }) => code);
  expect(codes.toSorted()).toEqual([0, ...Array(RUNS - 1).fill(1)]);
  for (const { stderr, stdout } of refused)
    expect([stderr, stdout]).toEqual([expect.stringMatching(ANOTHER), '']);
  expect(await project.json('list', '--status', 'done')).toHaveLength(1);
});

const UNSHARE = ['--pid', '--fork', '--mount-proc'];
const canUnshare = spawnSync('unshare', [...UNSHARE, 'true']).status === 0;

it.skipIf(!canUnshare).each([
  [
    'outside',
    'in a container',
    /pid \d+ on .+, since .+ cannot be seen from here; its last heartbeat was at \d{4}-/,
  ],
  ['in a container', 'outside', /a run is at work outside of this container or sandbox; do it out there\.$/m],
])('a run that starts %s is told of the run %s, which it cannot see', async (_, first, unseen) => {
  const waits = shell('touch ~/began; until [ -e ~/go ]; do sleep 0.05; done');
  const { project } = await scripted({ 1: [[waits, done()]] });
  await project.json('add', 'One');
  const options = {
    cwd: project.root,
    env: { HOME: project.home, RALPH_SANDBOX: 'off', PATH: process.env['PATH'] },
  };
  const inContainer = () => run('unshare', [...UNSHARE, process.execPath, inject('ralph'), 'run'], options);
  const outside = () => project.ralph('run');
  const [start, startSecond] = first === 'outside' ? [outside, inContainer] : [inContainer, outside];
  const ran = start();
  onTestFinished(async () => {
    writeFileSync(join(project.home, 'go'), '');
    await ran;
  });
  await expect.poll(() => existsSync(join(project.home, 'began'))).toBe(true);
  expect(await startSecond()).toMatchObject({ code: 1, stderr: expect.stringMatching(unseen) });
  expect((await project.within('status')).stdout).toMatch(/^running +pid \d+ since/m);
  writeFileSync(join(project.home, 'go'), '');
  expect(await ran).toMatchObject({ code: 0 });
});

it('a run starts beside a dead run and beside a client, and a refused run leaves no row', async () => {
  const queue = await openTestQueue();
  const lookUp = ({ pid }: { pid: number }) => (pid === process.pid ? 'alive' : 'dead');
  const dead = await startRunAlone(queue, { pid: 7, process_started: '1' }, () => 'dead');
  const alive = identify(process.pid);
  const client = await startRun(queue, alive, 'interactive');
  const first = await startRunAlone(queue, alive, lookUp);
  await expect(startRunAlone(queue, alive, lookUp)).rejects.toThrow(`pid ${process.pid}`);
  expect((await status(queue)).runs.map(({ id }) => id)).toEqual([dead, client, first]);
});
