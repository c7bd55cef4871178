import { readFileSync } from 'node:fs';
import type { Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { startRun, stopRun } from '../../src/queue/sessions/runs.ts';
import { asked, dashboardWithin, followLink, openPage } from '../support/dashboard.ts';
import { everything } from '../support/finished-run.ts';
import { initialised } from '../support/ralph.ts';

const NOBODY = { pid: 2 ** 22 + 1, process_started: null };

it('lists runs with why each stopped, and shows one with all that came of it', async () => {
  const project = await everything();
  const { queue, run_id } = project;
  await startRun(queue, NOBODY);
  const place = await dashboardWithin(project);
  const page = await openPage();
  await page.goto(place.url);
  await page.getByRole('link', { name: 'Runs' }).click();
  // What goes on stands first, though another began later.
  const [running, dead] = [page.getByRole('row').nth(1), page.getByRole('row').nth(2)];
  await running.getByText('It is still running.').waitFor();
  await dead.getByText('It died; the next ralph run resumes it.').waitFor();
  expect(await running.getByRole('cell').allTextContents()).toEqual(
    expect.arrayContaining(['Run 1', '4', '1', '$0.60', '37k']),
  );
  await stopRun(queue, run_id, 'waiting');
  const stopped = page.getByRole('row').filter({ hasText: 'Stopped: no task was ready' });
  await stopped.getByRole('link', { name: 'Run 1' }).click();

  await page.getByText('Stopped: no task was ready, and the rest needed a person.').waitFor();
  expect(await page.locator('.tiles').first().textContent()).toMatch(/done1 of 3sessions4.*cost\$0\.60/);
  await page.getByRole('row', { name: /#1 Build it .*done/ }).waitFor();
  const told = (await page.textContent('main')) ?? '';
  for (const words of [
    'retry.spec.ts:41 expected 2, got 3',
    'REST or gRPC?',
    'Answer: UTC',
    'incomplete prior: Names differ',
    'gotcha: Filter before counting. (why: It failed)',
    'new task: Share escape() (why: Two pages need it.)',
  ])
    expect(told).toContain(words);

  // Who looks at a run need not read it anew for what happens elsewhere.
  const addDraft = async (drafts: number): Promise<void> => {
    const heard = page.waitForResponse(
      async (answer) => /api\/project$/.test(answer.url()) && (await answer.json()).counts.draft === drafts,
    );
    await project.json('add', 'Something else', '--draft');
    await heard;
  };
  const readings: string[] = [];
  page.on('request', (one) => readings.push(new URL(one.url()).pathname));
  let drafts = 1;
  // The first may still meet what the run ended with, and a busy server may let the page read everything anew.
  await expect
    .poll(async () => {
      readings.length = 0;
      await addDraft(++drafts);
      return readings;
    })
    .not.toContain('/api/runs/1');

  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download the report as one HTML file' }).click();
  const file = await downloading;
  expect(file.suggestedFilename()).toBe('ralph-run-1.html');
  const { stdout } = await project.within('report', '--html', '--run', '1');
  // One task is still worked on, and the minute may change between the two.
  const withoutClock = (text: string): string =>
    text.replace(/<footer>.*<\/footer>|\b\d+\.\d(?:s| times)\b/g, '').trim();
  expect(withoutClock(readFileSync(await file.path(), 'utf8'))).toBe(withoutClock(stdout));
  expect(stdout).toContain('<h1>Run 1</h1>');

  await followLink(page, '/runs/99');
  await page.getByText('There is no run 99').waitFor();
  expect((await asked(place, '/api/runs/x')).status).toBe(400);
  expect((await asked(place, '/api/runs/99/report')).status).toBe(409);
});

it('the page of runs says what to type where nothing has run', async () => {
  const { url } = await dashboardWithin(await initialised());
  const page = await openPage();
  // Until its answer is there, it says nothing of a problem.
  const reading = new Promise<Route>((asking) => void page.route('**/api/runs', asking));
  await page.goto(url.replace('/#', '/runs#'));
  await expect.poll(() => page.getByRole('heading', { name: 'Runs' }).count()).toBe(1);
  expect(await page.locator('main .error').count()).toBe(0);
  await (await reading).continue();
  await page.getByText('There are no runs to show.').waitFor();
  expect(await page.textContent('main')).toContain('ralph run');
});
