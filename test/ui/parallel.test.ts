import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { identify, liveness } from '../../src/host/processes/process-identity.ts';
import { stopHost } from '../../src/queue/sessions/fleet.ts';
import { recordSlot, setPhase } from '../../src/queue/sessions/live-session.ts';
import { startRun } from '../../src/queue/sessions/runs.ts';
import { claim } from '../../src/queue/tasks/claim.ts';
import { orderTrain } from '../../src/ui/train.ts';
import { dashboardWithin, openPage } from '../support/dashboard.ts';
import { type Worked, workedProject } from '../support/project-with-sessions.ts';

const TITLES = ['Build the parser', 'Retry webhooks with backoff', 'Draw the graph in waves'];

const uses = (name: string, input: object): string =>
  `${JSON.stringify({ type: 'assistant', message: { id: name, content: [{ type: 'tool_use', name, input }] } })}\n`;

/** Three sessions of one run, and a task that nobody has taken. */
async function threeAtWork(): Promise<Worked> {
  const project = await workedProject(...TITLES, 'Write the manual');
  await project.begin('aaaaaaaa-1', uses('Edit', { file_path: 'src/parser.ts' }));
  await project.begin('bbbbbbbb-1', uses('Bash', { command: 'npm test' }));
  await project.begin('cccccccc-1', uses('Read', { file_path: 'src/graph.ts' }));
  return project;
}

/** The three work in slots; #3 lands, and #1 waits for it. */
async function threeInSlots(): Promise<Worked> {
  const project = await threeAtWork();
  const { queue } = project;
  for (const [index, session] of ['aaaaaaaa-1', 'bbbbbbbb-1', 'cccccccc-1'].entries()) {
    await recordSlot(queue, session, { slot: index + 1, base_commit: 'b'.repeat(40) });
    await setPhase(queue, session, 'working');
  }
  for (const session of ['cccccccc-1', 'aaaaaaaa-1']) await setPhase(queue, session, 'landing');
  return project;
}

describe('sessions that work at once', () => {
  it('the page of now lists each with its last action, and stops all of them by one button', async () => {
    const project = await threeAtWork();
    const page = await openPage();
    await page.goto((await dashboardWithin(project)).url);
    const running = page.getByRole('region', { name: 'Running' });
    const card = (title: string) => running.getByRole('listitem').filter({ hasText: title });
    await card('Build the parser').getByText('Edit src/parser.ts').waitFor();
    await card('Retry webhooks').getByText('Bash npm test').waitFor();
    await card('Draw the graph').getByText('Read src/graph.ts').waitFor();
    await running.getByText('3 at work').waitFor();
    expect(await running.getByRole('button').allTextContents()).toEqual([
      'Stop after these tasks',
      'Stop now',
    ]);
    await running.getByRole('button', { name: 'Stop now' }).click();
    await page.getByRole('dialog').getByText('Ralph ends all sessions at once.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'End the sessions' }).click();
    await running.getByText('the sessions are ending, and their tasks go back').waitFor();
  });

  it('the page of now names slot and phase, and what each waits for to land', async () => {
    const { url } = await dashboardWithin(await threeInSlots());
    const page = await openPage();
    await page.goto(url);
    const running = page.getByRole('region', { name: 'Running' });
    const card = (title: string) => running.locator('.cards > li').filter({ hasText: title });
    await running.getByText('1 at work, 2 landing').waitFor();
    expect(
      await running
        .getByRole('list', { name: 'Landing, in this order' })
        .getByRole('listitem')
        .allTextContents(),
    ).toEqual(['#3 Draw the graph in waves lands now', '#1 Build the parser waits for #3']);
    await card('Build the parser').getByText('waits to land after #3').waitFor();
    await card('Retry webhooks').getByText('Bash npm test').waitFor();
    expect(await card('Retry webhooks').locator('.facts').textContent()).toMatch(/^slot 2working/);
    await card('Retry webhooks').getByRole('link', { name: 'Watch it' }).click();
    await page.locator('.session-head').getByText('slot 2').waitFor();
  });

  it('the page of now lists the sessions of each machine below what stops them', async () => {
    const project = await workedProject(...TITLES);
    const { queue } = project;
    const far = await startRun(queue, { ...identify(process.pid), host: 'zz-build-2', boot: 'another' });
    for (const session_id of ['aaaaaaaa-1', 'bbbbbbbb-1']) await claim(queue, { run_id: far, session_id });
    await project.begin('cccccccc-1');
    await stopHost(queue, 'zz-build-2', 'after', liveness);
    const page = await openPage();
    await page.goto((await dashboardWithin(project)).url);
    const running = page.getByRole('region', { name: 'Running' });
    const card = (title: string) => running.locator('.cards > li').filter({ hasText: title });
    await running.getByText('zz-build-2: 2 at work').waitFor();
    await running.getByText('Stopping after these tasks').waitFor();
    await card('Draw the graph').getByText(hostname()).waitFor();
    expect(await card('Draw the graph').getByRole('button').allTextContents()).toEqual([
      'Stop after this task',
      'Stop now',
    ]);
    expect(await card('Retry webhooks').getByRole('button').count()).toBe(0);
  });

  it('the tasks name slot and phase of every running task, and what each waits for to land', async () => {
    const { url } = await dashboardWithin(await threeInSlots());
    const page = await openPage();
    await page.goto(url.replace('/#', '/tasks#'));
    const row = (id: number) => page.locator(`tr[data-task="${id}"]`);
    await row(1)
      .getByText(/running for .* in slot 1, waits to land after #3$/)
      .waitFor();
    await row(2)
      .getByText(/running for .* in slot 2$/)
      .waitFor();
    await row(3)
      .getByText(/running for .* in slot 3, landing$/)
      .waitFor();
    expect(await page.locator('td.state').allTextContents()).toEqual([
      expect.stringContaining('running'),
      expect.stringContaining('running'),
      expect.stringContaining('running'),
      expect.stringContaining('ready'),
    ]);
  });

  it('the graph names slot and phase in each box, who lands after whom, and follows the next phase', async () => {
    const project = await threeInSlots();
    const { url } = await dashboardWithin(project);
    const page = await openPage();
    await page.goto(url.replace('/#', '/graph#'));
    const states = () => page.locator('.node .state').allTextContents();
    const first = page.getByRole('button', {
      name: '#1 Build the parser, running in slot 1, waits to land after #3',
    });
    await first.waitFor();
    const atWork = ['▶ lands 2nd, slot 1', '▶ running, slot 2', '▶ landing, slot 3'];
    expect(await states()).toEqual([...atWork, expect.stringMatching(/ ready$/)]);
    await first.click();
    await page.getByText('Its work from slot 1 waits to land after #3.').waitFor();
    await setPhase(project.queue, 'bbbbbbbb-1', 'proving');
    await expect.poll(states).toContain('▶ proving, slot 2');
    await page.locator('.node[data-id="2"]').click();
    await page.getByText('Ralph checks its work in slot 2.').waitFor();
  });
});

describe('the order of the train', () => {
  const session = (task_id: number, closing: number | null) =>
    ({ id: `s${task_id}`, task_id, closing, title: `Task ${task_id}`, phase: 'landing' }) as const;
  const entered = (task_id: number, phase: string) => ({ session_id: `s${task_id}`, data: { phase } });
  const ids = (...input: Parameters<typeof orderTrain>) => orderTrain(...input).map(({ task_id }) => task_id);

  it('sessions land in the order in which they began to, not in that in which they ended their work', () => {
    const events = [entered(1, 'proving'), entered(2, 'landing'), entered(1, 'landing')];
    expect(orderTrain([session(1, 10), session(2, 20)], events)).toEqual([
      { task_id: 2, title: 'Task 2', after: [] },
      { task_id: 1, title: 'Task 1', after: [2] },
    ]);
  });

  it('a session whose beginning is long ago comes first, and the last beginning of a session counts', () => {
    const again = [entered(1, 'landing'), entered(2, 'landing'), entered(1, 'landing')];
    expect(ids([session(1, 1), session(2, 2), session(3, 9)], again)).toEqual([3, 2, 1]);
    expect(ids([session(2, 20), session(1, 10)], [])).toEqual([1, 2]);
  });
});
