import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NO_WORK } from '../../src/domain/sessions/gate.ts';
import type { Signal } from '../../src/domain/sessions/signal.ts';
import { createFeature } from '../../src/queue/definitions/edit.ts';
import { recordJournaled } from '../../src/queue/journal/journal.ts';
import { recordOpened, takePulls } from '../../src/queue/pull-requests/look.ts';
import { addTasks } from '../../src/queue/tasks/add.ts';
import { dashboardWithin, followLink, openPage } from '../support/dashboard.ts';
import { type Worked, workedProject } from '../support/project-with-sessions.ts';
import { effectsWith, gateResult, runSession } from '../support/queue.ts';
import { initialised } from '../support/ralph.ts';
import { done, scripted } from '../support/scripted-agent.ts';

/** What a session leaves for the person although its task is done. */
const LEFT_BEHIND: readonly Signal[] = [
  { verb: 'flag', what: 'The token is <b>logged</b>', severity: 'blocking', category: 'security' },
  { verb: 'suggest', what: 'Split the module', kind: 'split', why: 'It is large.' },
  { verb: 'ask', question: 'Which font?', blocking: false },
];

/** #1 asks, #2 to #22 have failed, #23 is blocked, #24 to #48 are drafts, and three sessions of a feature needed one file. */
async function needy(): Promise<Worked> {
  const project = await workedProject();
  const { queue } = project;
  const partial: Signal = { verb: 'partial', summary: 's', remaining: 'r' };
  const stuck: Signal = { verb: 'stuck', reason: 'No idea.' };
  const ask: Signal = { verb: 'ask', question: 'Which zone?', blocking: true, options: ['UTC', 'CET'] };
  await addTasks(queue, [
    { title: 'Asks' },
    ...Array.from({ length: 21 }, (_, index) => ({ title: `Fails ${index + 1} times` })),
    { title: 'Blocked' },
    ...Array.from({ length: 25 }, (_, index) => ({ title: `Draft ${index + 1} of 25`, draft: true })),
  ]);
  await runSession(queue, [ask, { verb: 'ask', question: 'Which colour?', blocking: false }, partial]);
  for (let failure = 0; failure < 21 * 3; failure++) await runSession(queue, [stuck]);
  await runSession(queue, [{ verb: 'blocked', on: 'the vendor', kind: 'external' }, partial]);
  await createFeature(queue, { name: 'auth', fields: {} });
  writeFileSync(join(project.root, 'src.ts'), '');
  for (let time = 0; time < 3; time++) {
    await addTasks(queue, [{ title: 'Build', feature: 'auth' }]);
    const { session_id } = await runSession(queue, [
      ...(time === 0 ? LEFT_BEHIND : []),
      { verb: 'done', summary: 'Built.' },
    ]);
    await recordJournaled(queue, { session_id, feature: 'auth', touched: ['src.ts'], auto_context: false });
  }
  return project;
}

describe('the page of now', () => {
  it('the page of now says what to type where there is no task, and why where nothing can be shown', async () => {
    const page = await openPage();
    await page.goto((await dashboardWithin(await initialised())).url);
    await page.getByText('There are no tasks yet.').waitFor();
    expect(await page.textContent('main')).toContain('ralph add');
    const json = { error: 'The queue cannot be read now.' };
    await page.route('**/api/now', (route) => route.fulfill({ status: 500, json }));
    await page.reload();
    await page.getByRole('alert').getByText('The queue cannot be read now.').waitFor();
  });

  it('the page of now takes the token out of the address, and keeps it for a reload', async () => {
    const { url, origin } = await dashboardWithin(await initialised());
    const page = await openPage();
    await page.goto(url);
    await page.getByText('There are no tasks yet.').waitFor();
    expect(page.url()).toBe(`${origin}/`);
    await page.reload();
    await page.getByText('There are no tasks yet.').waitFor();
  });

  it('the page of now takes an answer, and the terminal sees it', async () => {
    const { project } = await scripted({
      1: [
        [
          { verb: 'ask', args: { question: 'Which zone?', blocking: true, options: ['UTC', 'CET'] } },
          { verb: 'partial', args: { summary: 'Asked.', remaining: 'All.' } },
        ],
        [done()],
      ],
    });
    await project.json('add', 'Store times');
    await project.within('run');
    const page = await openPage();
    await page.goto((await dashboardWithin(project)).url);
    await page.getByLabel('Answer to Q1').fill('The zone of the user');
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.getByText('Answered Q1; #1 Store times is queued.').waitFor();
    await page.getByText('Nothing needs you.').waitFor();
    expect(await project.json('show', '1')).toMatchObject({
      status: 'pending',
      questions: [{ answer: 'The zone of the user' }],
    });
  });

  it('the page of now lets a person do all that it asks for, and says how much there is beyond what it shows', async () => {
    const project = await needy();
    const place = await dashboardWithin(project);
    const page = await openPage();
    await page.goto(place.url);
    const needs = page.getByRole('region', { name: 'Needs you' });
    const later = page.getByRole('region', { name: 'For later' });
    const card = (title: string) =>
      page.locator('.needs').getByRole('listitem').filter({ hasText: title }).last();
    const click = (title: string, name: string) =>
      card(title).getByRole('button', { name, exact: true }).click();
    const confirm = (name: string) => page.getByRole('dialog').getByRole('button', { name }).click();

    await click('Which zone?', 'UTC');
    await page.getByText('Answered Q1; #1 Asks is queued.').waitFor();
    // The same in a terminal, and the page follows.
    await later.getByText('Which colour?').waitFor();
    await project.within('answer', '2', 'Blue');
    await later.getByText('Which colour?').waitFor({ state: 'detached' });
    await card('Which font?').getByText('its task did not wait').waitFor();
    await click('Which font?', 'Dismiss Q3');
    await page.getByText('Dismissed Q3.').waitFor();
    await card('The token is <b>logged</b>').getByLabel('Note on F1').fill('Masked');
    await click('The token is', 'Close F1');
    await page.getByText('Closed F1.').waitFor();
    await needs.getByText('The token is').waitFor({ state: 'detached' });
    await click('split: Split the module (why: It is large.)', 'Close F2');
    await page.getByText('Closed F2.').waitFor();
    await later.waitFor({ state: 'detached' });
    await needs.getByRole('link', { name: '1 more failed' }).waitFor();
    await click('Fails 1 times', 'Retry');
    await page.getByLabel('A note for the next session').fill('Ask Eve');
    await confirm('Queue it again');
    await page.getByText('Queued again #2 Fails 1 times.').waitFor();
    await click('Fails 2 times', 'Skip');
    await confirm('Skip it');
    await page.getByText('Skipped #3 Fails 2 times.').waitFor();
    await expect.poll(() => needs.getByText('more failed').count()).toBe(0);
    await click('Blocked', 'Retry');
    await confirm('Queue it again');
    await page.getByText('Queued again #23 Blocked.').waitFor();

    await needs.getByText('25 drafts to approve').waitFor();
    expect(await card('25 drafts').textContent()).toContain('and 5 more');
    await click('Draft 1 of', 'Approve');
    await page.getByText('Queued #24 Draft 1 of 25.').waitFor();
    await click('Draft 2 of', 'Drop');
    await page.getByRole('dialog').getByText('go on without it').waitFor();
    await confirm('Drop it');
    await page.getByText('Dropped #25 Draft 2 of 25.').waitFor();
    await needs.getByRole('button', { name: 'Approve all 23' }).click();
    await confirm('Approve 23 drafts');
    await page.getByText('Queued 23 tasks: #26, #27, #28 and 20 more.').waitFor();
    await needs.getByText('1 file that sessions look for').waitFor();
    await page.getByRole('button', { name: 'Add them to every prompt' }).click();
    await page
      .getByText('auth: src.ts (3 sessions) is now given to every session of this feature.')
      .waitFor();

    expect(await project.json('flag', 'list', '--all')).toMatchObject([{ note: null }, { note: 'Masked' }]);
    expect(await project.json('list', '--status', 'draft')).toEqual([]);
    expect(await project.json('show', '2')).toMatchObject({
      status: 'pending',
      comments: expect.arrayContaining([expect.objectContaining({ author: 'human', body: 'Ask Eve' })]),
    });
    expect(await project.json('show', '1')).toMatchObject({
      questions: [{ answer: 'UTC' }, { answer: 'Blue' }],
    });
  });

  it('links to the questions beyond the first twenty, and back', async () => {
    const project = await workedProject();
    await addTasks(project.queue, [{ title: 'Asks a lot' }]);
    const asks = Array.from({ length: 21 }, (_, index): Signal => {
      return { verb: 'ask', question: `Question number ${index + 1}?`, blocking: false };
    });
    await runSession(project.queue, [...asks, { verb: 'partial', summary: 's', remaining: 'r' }]);
    const page = await openPage();
    await page.goto((await dashboardWithin(project)).url);
    await page.getByText('Question number 20?').waitFor();
    await page.getByRole('link', { name: '1 more question' }).click();
    await page.getByText('Question number 21?').waitFor();
    expect(await page.getByText('Question number 20?').count()).toBe(0);
    await page.getByRole('link', { name: '20 other questions' }).click();
    await page.getByText('Question number 1?').waitFor();
  });

  it('the page of now shows what is done in a terminal without being asked', async () => {
    const project = await initialised();
    await project.json('add', 'Draw it', '--draft');
    const page = await openPage();
    await page.goto((await dashboardWithin(project)).url);
    await page.getByText('1 draft to approve').waitFor();
    await project.ralph('approve', '1');
    await page.getByText('Nothing needs you.').waitFor();
    await page.getByText('Next would be').waitFor();
  });
});

it('a task that waits for its pull request links to it, and nothing urges the person to retry it', async () => {
  const project = await workedProject();
  const { queue } = project;
  await addTasks(queue, [{ title: 'Count' }]);
  const proposal = { branch: 'ralph/task-1-count', base: 'main', head: 'a', feature: null };
  const effects = { ...effectsWith(gateResult(true)), commit: async () => ({ ...NO_WORK, proposal }) };
  await runSession(queue, [{ verb: 'done', summary: 'Counted.' }], { effects });
  for (const pull of await takePulls(queue, { isAll: true }))
    await recordOpened(queue, pull, { number: 12, url: 'https://github.example/octo/shelf/pull/12' });
  const { url } = await dashboardWithin(project);
  const page = await openPage();
  await page.goto(url);
  for (const path of ['/', '/tasks/1']) {
    await followLink(page, path);
    const link = page.getByRole('link', { name: 'pull request #12' });
    await link.waitFor();
    expect(await link.getAttribute('href')).toBe('https://github.example/octo/shelf/pull/12');
    expect(await page.getByRole('button', { name: 'Retry' }).getAttribute('class')).not.toBe('primary');
  }
});
