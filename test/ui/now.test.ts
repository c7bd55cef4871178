import { describe, expect, it } from 'vitest';
import { dashboard, useBrowser } from '../support/dashboard.ts';
import { initialised } from '../support/ralph.ts';
import { done, scripted } from '../support/scripted.ts';

const { page: open } = useBrowser();

describe('the page of now', () => {
  it('says what to type where there is no task', async () => {
    const page = await open();
    await page.goto((await dashboard(await initialised())).url);
    await page.getByText('There are no tasks yet.').waitFor();
    expect(await page.textContent('main')).toContain('ralph add');
  });

  it('takes the token out of the address, and keeps it for a reload', async () => {
    const { url, origin } = await dashboard(await initialised());
    const page = await open();
    await page.goto(url);
    await page.getByText('There are no tasks yet.').waitFor();
    expect(page.url()).toBe(`${origin}/`);
    await page.reload();
    await page.getByText('There are no tasks yet.').waitFor();
  });

  it('takes an answer, and the terminal sees it', async () => {
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
    await project.ralph('run');
    const page = await open();
    await page.goto((await dashboard(project)).url);
    await page.getByLabel('Answer to Q1').fill('The zone of the user');
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.getByText('Answered Q1; #1 Store times is pending.').waitFor();
    await page.getByText('Nothing needs you.').waitFor();
    expect(await project.json('show', '1')).toMatchObject({
      status: 'pending',
      questions: [{ answer: 'The zone of the user' }],
    });
  });

  it('shows what is done in a terminal without being asked', async () => {
    const project = await initialised();
    await project.json('add', 'Draw it', '--draft');
    const page = await open();
    await page.goto((await dashboard(project)).url);
    await page.getByText('1 draft to approve').waitFor();
    await project.ralph('approve', '1');
    await page.getByText('Nothing needs you.').waitFor();
    await page.getByText('Next would be').waitFor();
  });
});
