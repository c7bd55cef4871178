import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { orderTrain } from '../../src/ui/train.ts';
import type { NowView } from '../../src/ui/views/now.ts';
import type { TasksView } from '../../src/ui/views/tasks.ts';
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
async function inSlots(page: Page): Promise<void> {
  const phases = ['landing', 'working', 'landing'] as const;
  // The page asks until it is closed, and the dashboard may be gone by then.
  onTestFinished(() => page.unrouteAll({ behavior: 'ignoreErrors' }));
  const lane = (task_id: number) => ({ slot: task_id, phase: phases[task_id - 1] ?? null });
  await page.route('**/api/now', async (route) => {
    const response = await route.fetch();
    const now: NowView = await response.json();
    const running = now.running.map((session) => ({ ...session, ...lane(session.task_id) }));
    const train: NowView['train'] = [
      { task_id: 3, title: TITLES[2] ?? '', after: [] },
      { task_id: 1, title: TITLES[0] ?? '', after: [3] },
    ];
    await route.fulfill({ response, json: { ...now, running, train } });
  });
  await page.route('**/api/sessions/*', async (route) => {
    const response = await route.fetch();
    const view = await response.json();
    await route.fulfill({
      response,
      json: { ...view, session: { ...view.session, ...lane(view.session.task_id) } },
    });
  });
  await page.route('**/api/tasks?*', async (route) => {
    const response = await route.fetch();
    const view: TasksView = await response.json();
    const tasks = view.tasks.map((task) => ({
      ...task,
      session: task.session && { ...task.session, ...lane(task.id) },
    }));
    await route.fulfill({ response, json: { ...view, tasks } });
  });
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
    const { url } = await dashboardWithin(await threeAtWork());
    const page = await openPage();
    await inSlots(page);
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
    const { url } = await dashboardWithin(await threeAtWork());
    const page = await openPage();
    onTestFinished(() => page.unrouteAll({ behavior: 'ignoreErrors' }));
    await page.route('**/api/now', async (route) => {
      const response = await route.fetch();
      const now: NowView = await response.json();
      const [run] = now.supervisors;
      const other = { id: 77, host: 'build-2', stopping: 'after' as const };
      const supervisors = run === undefined ? [] : [{ ...run, host: 'build-1' }, other];
      const running = now.running.map((session) =>
        session.task_id === 3 ? session : { ...session, run_id: 77 },
      );
      await route.fulfill({ response, json: { ...now, supervisors, running } });
    });
    await page.goto(url);
    const running = page.getByRole('region', { name: 'Running' });
    const card = (title: string) => running.locator('.cards > li').filter({ hasText: title });
    await running.getByText('build-2: 2 at work').waitFor();
    await running.getByText('Stopping after these tasks').waitFor();
    await card('Draw the graph').getByText('build-1').waitFor();
    expect(await card('Draw the graph').getByRole('button').allTextContents()).toEqual([
      'Stop after this task',
      'Stop now',
    ]);
    expect(await card('Retry webhooks').getByRole('button').count()).toBe(0);
  });

  it('the tasks and the graph mark every running task', async () => {
    const { url } = await dashboardWithin(await threeAtWork());
    const page = await openPage();
    await inSlots(page);
    await page.goto(url);
    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    const row = (id: number) => page.locator(`tr[data-task="${id}"]`);
    await row(3)
      .getByText(/running for .* in slot 3, landing/)
      .waitFor();
    await row(2)
      .getByText(/running for .* in slot 2$/)
      .waitFor();
    expect(await page.locator('td.state').allTextContents()).toEqual([
      expect.stringContaining('running'),
      expect.stringContaining('running'),
      expect.stringContaining('running'),
      expect.stringContaining('ready'),
    ]);
    await page.getByRole('link', { name: 'Graph', exact: true }).click();
    await page.locator('.node[data-id="4"]').waitFor();
    expect(await page.locator('.node.in_progress').count()).toBe(3);
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
