// The page of the machines: what its view says of two hosts, and what a person then sees.
import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import { identify, liveness } from '../../src/host/processes/process-identity.ts';
import { stopHost } from '../../src/queue/sessions/fleet.ts';
import { setPhase } from '../../src/queue/sessions/live-session.ts';
import { startRun } from '../../src/queue/sessions/runs.ts';
import { claim } from '../../src/queue/tasks/claim.ts';
import type { MachinesView } from '../../src/ui/views/machines.ts';
import { asked, type DashboardPlace, dashboardWithin, openPage } from '../support/dashboard.ts';
import { type Worked, workedProject } from '../support/project-with-sessions.ts';

const FAR = { ...identify(process.pid), host: 'zz-build-2', boot: 'another', pid: 4711 };

/** A run here that drains while its session lands, and one of another machine whose lease is over. */
async function twoHosts(): Promise<{ place: DashboardPlace; far: number } & Pick<Worked, 'run_id'>> {
  const project = await workedProject('Build the parser', 'Draw the graph');
  const { queue, run_id } = project;
  await project.begin('aaaaaaaa-1');
  const far = await startRun(queue, FAR, 'supervisor', { leaseMs: 0, jobs: 3, version: '1.2.3' });
  await claim(queue, { run_id: far, session_id: 'bbbbbbbb-1' });
  for (const session of ['bbbbbbbb-1', 'aaaaaaaa-1']) await setPhase(queue, session, 'landing');
  await stopHost(queue, hostname(), 'after', liveness);
  return { place: await dashboardWithin(project), far, run_id };
}

it('the page of the machines shows each host with its runs, their leases and sessions, and who lands after whom', async () => {
  const { place, far, run_id } = await twoHosts();
  const view = (await (await asked(place, '/api/machines')).json()) as MachinesView;
  expect(view).toMatchObject({
    machines: [
      {
        host: hostname(),
        runs: [{ id: run_id, state: 'drains, 1 session', sessions: [{ task_id: 1, phase: 'landing' }] }],
      },
      {
        host: FAR.host,
        runs: [
          {
            id: far,
            state: 'does not answer',
            lease: expect.stringMatching(/^no heartbeat for .+s$/),
            pid: 4711,
            version: '1.2.3',
            sessions: [{ task_id: 2, title: 'Draw the graph' }],
          },
        ],
      },
    ],
    train: [
      { task_id: 2, after: [] },
      { task_id: 1, after: [2] },
    ],
  });

  const page = await openPage();
  await page.goto(place.url.replace('/#', '/machines#'));
  const here = page.getByRole('region', { name: hostname(), exact: true });
  await here.getByText('Stopping after this task').waitFor();
  await here.getByRole('link', { name: 'Build the parser' }).waitFor();
  const there = page.getByRole('region', { name: FAR.host });
  await there.getByText('does not answer').waitFor();
  await there.getByText('pid 4711, Ralph 1.2.3').waitFor();
  // Nobody there could hear it.
  expect(await there.getByRole('button').count()).toBe(0);
  const train = page.getByRole('region', { name: 'Landing, one after another' }).getByRole('listitem');
  expect(await train.allTextContents()).toEqual([
    expect.stringContaining('Draw the graph'),
    expect.stringContaining('Build the parser'),
  ]);
});
