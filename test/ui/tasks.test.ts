import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { databasePath, findProject } from '../../src/host/project.ts';
import { closeQueue, openQueue } from '../../src/queue/queue.ts';
import { addTasks } from '../../src/queue/tasks/add.ts';
import { acted, asked, dashboardWithin, followLink, goBack, openPage } from '../support/dashboard.ts';
import { initialised, type TestProject } from '../support/ralph.ts';

/** Many in one go, as a plan would bring them. */
async function projectWith(count: number): Promise<TestProject> {
  const project = await initialised();
  const queue = await openQueue(databasePath(findProject(project.root).stateDir));
  await addTasks(
    queue,
    Array.from({ length: count }, (_, index) => ({
      title: `Build part ${index + 1}`,
      discipline: 'backend',
    })),
  );
  await closeQueue(queue);
  return project;
}

const MEGABYTE = 'x'.repeat(1_000_000);

const tasksOf = (url: string): string => url.replace('/#', '/tasks#');

describe('the page of tasks', () => {
  it('the page of tasks keeps its filters in the address: they survive a reload, and going back', async () => {
    const project = await projectWith(103);
    await project.json('add', 'Drop the rest', '--draft');
    await project.json('add', 'Wait for it', '--depends-on', '1,2', '--discipline', 'backend');
    await project.json('skip', '3');
    const { url, origin } = await dashboardWithin(project);
    const page = await openPage();
    await page.goto(tasksOf(url));
    const rows = page.locator('[data-task]');
    await page.getByText('page 1 of 2').first().waitFor();
    expect(await rows.count()).toBe(100);
    await page.getByRole('link', { name: 'Next' }).first().click();
    await page.getByText('waits for #1 #2').waitFor();
    expect(page.url()).toBe(`${origin}/tasks?page=2`);

    await page.getByRole('button', { name: 'waiting 1' }).click();
    await page.getByRole('button', { name: 'draft 1' }).click();
    await page.getByText('2 tasks').waitFor();
    expect(page.url()).toBe(`${origin}/tasks?status=waiting%2Cdraft`);
    await page.getByLabel('Discipline').selectOption('backend');
    await page.getByText('1 task', { exact: true }).waitFor();
    // What the other filters leave is what is counted.
    await page.getByRole('button', { name: 'draft 0' }).waitFor();
    await goBack(page);
    await page.getByText('2 tasks').waitFor();
    await page.getByLabel('Text or number').fill('the rest');
    await page.getByText('1 task', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('1 task', { exact: true }).waitFor();
    expect(await rows.allInnerTexts()).toMatchObject([expect.stringContaining('Drop the rest')]);
    expect(await page.getByLabel('Text or number').inputValue()).toBe('the rest');
    await page.getByLabel('Text or number').fill('nothing like it');
    await page.getByText('No task matches.').waitFor();
    // One step, however many letters it took.
    await goBack(page);
    await page.getByText('1 task', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Clear' }).click();
    await page.getByText('105 tasks').first().waitFor();

    await followLink(page, '/tasks?status=draft');
    await page.getByRole('button', { name: 'Approve all 1' }).click();
    await page.getByRole('button', { name: 'Approve 1 draft' }).click();
    await page.getByText('Queued #104 Drop the rest.').waitFor();
    await page.getByText('No task matches.').waitFor();
    await followLink(page, '/tasks?feature=shop');
    await page.getByText('There is no feature "shop"; ralph feature list shows all features.').waitFor();
  });

  it('filters by tag, and shows the acronyms of features and disciplines', async () => {
    const project = await projectWith(2);
    writeFileSync(
      join(project.root, '.ralph/features.yaml'),
      'features: [{ name: auth, display_name: Sign in, acronym: AUTH, status: planned }]\n',
    );
    writeFileSync(
      join(project.root, '.ralph/tasks.yaml'),
      'tasks: [{ id: 3, title: Log in, feature: auth, discipline: backend, tags: [forms, a&b] }]\n',
    );
    await project.json('list');
    const { url, origin } = await dashboardWithin(project);
    const page = await openPage();
    await page.goto(tasksOf(url));
    await page.getByRole('link', { name: 'a&b' }).click();
    await page.getByText('1 task', { exact: true }).waitFor();
    expect(page.url()).toBe(`${origin}/tasks?tag=a%26b`);
    await page.getByText('its feature is planned').waitFor();
    expect(await page.getByTitle('Sign in').textContent()).toBe('AUTH');
    expect(await page.locator('[data-task] .discipline').textContent()).toMatch(/^🔧\s*BE$/);
    await page.getByLabel('Tag', { exact: true }).selectOption('');
    await page.getByText('3 tasks', { exact: true }).waitFor();
    await followLink(page, '/tasks/3');
    await page.getByText('ralph feature edit "auth" --status active').waitFor();
    await followLink(page, '/');
    await page.getByText('The tasks of auth wait, because it is planned.').waitFor();
  });

  it('the page of tasks adds, moves, selects and edits by the keyboard alone, and skips only when it was asked', async () => {
    const project = await projectWith(3);
    await project.json('add', 'Draw it', '--draft');
    const page = await openPage();
    await page.goto(tasksOf((await dashboardWithin(project)).url));
    const type = (...keys: string[]) =>
      keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());

    await page.getByLabel('Select #4').waitFor();
    await type('a');
    await page.getByLabel('Title').waitFor();
    await page.keyboard.type('Sell it');
    await page.getByLabel('Depends on').focus();
    await page.keyboard.type('3, x');
    await type('Enter');
    await page.getByText('Depends on: "3, x" is not understood').waitFor();
    await page.getByLabel('Depends on').fill('3, 9');
    await type('Enter');
    await page
      .getByText('Task 5 cannot depend on task 9: there is no task 9; ralph list shows all tasks.')
      .waitFor();
    await page.getByLabel('Depends on').fill('#3, 1');
    await page.getByLabel('Acceptance criteria').fill('  It is sold\n\nIt is paid for ');
    await type('Control+Enter');
    await page.getByText('Added #5 Sell it.').waitFor();
    expect(await project.json('show', '5')).toMatchObject({
      status: 'pending',
      depends_on: [1, 3],
      acceptance_criteria: ['It is sold', 'It is paid for'],
      description: null,
    });

    // Two drafts and one that is none: none of them is approved.
    await project.json('add', 'Paint it', '--draft');
    await page.getByRole('link', { name: '#6 Paint it' }).waitFor();
    await type('j', 'j', 'ArrowDown', 'x', 'j', 'x', 'j', 'j', 'k', 'j', 'x');
    await page.getByText('3 tasks selected').waitFor();
    await page.getByRole('button', { name: 'Approve' }).press('Enter');
    await page.getByText('Cannot approve task 3: it is queued; ralph run works on it.').waitFor();
    expect(await project.json('list', '--status', 'draft')).toHaveLength(2);
    await type('Escape');
    await expect.poll(() => page.getByText('selected').count()).toBe(0);
    await type('j', 'x', 'k', 'k', 'x');
    await page.getByRole('button', { name: 'Approve' }).press('Enter');
    await page.getByText('Queued 2 tasks: #4, #6.').waitFor();

    await type('k', 'k', 'x');
    await page.getByRole('button', { name: 'Skip', exact: true }).press('Enter');
    await page.getByRole('heading', { name: 'Skip 1 task?' }).waitFor();
    await type('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await project.json('list', '--status', 'skipped')).toEqual([]);
    await page.getByRole('button', { name: 'Skip', exact: true }).press('Enter');
    await page.getByRole('button', { name: 'Skip 1 task' }).press('Enter');
    await page.getByText('Skipped #3 Build part 3.').waitFor();

    await type('j', 'x');
    await page.getByRole('button', { name: 'Retry' }).press('Enter');
    await page.getByLabel('A note for the next session').fill('Look at part 2');
    await page.getByRole('button', { name: 'Queue it again' }).press('Enter');
    await page.getByText('Queued again #3 Build part 3.').waitFor();
    await expect.poll(() => page.getByText('selected').count()).toBe(0);
    expect(await project.json('show', '3')).toMatchObject({ comments: [{ body: 'Look at part 2' }] });

    await type('/');
    await page.keyboard.type('sell');
    await page.getByText('1 task', { exact: true }).waitFor();
    await type('Escape', 'Enter');
    await expect.poll(() => page.url()).toMatch(/\/tasks\/5$/);
    await goBack(page);
    await page.getByText('1 task', { exact: true }).waitFor();
    await type('j');
    expect(await page.locator(':focus').textContent()).toBe('#5 Sell it');
  });

  it('the page of tasks shows what another person changes in place, and loses nothing of what either of them types', async () => {
    const project = await projectWith(2);
    const page = await openPage();
    await page.goto(tasksOf((await dashboardWithin(project)).url));
    await page.getByLabel('Select #1').waitFor();
    for (const key of ['j', 'x', 'e']) await page.keyboard.press(key);
    await page.getByLabel('Title').fill('Build the first part');
    await page.getByLabel('Hints').fill('Look at part 2');
    const ran = await project.within('edit', '1', '--title', 'Build part one', '--description', 'All of it');
    expect(ran.code).toBe(0);
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByText('The title of task 1 has changed since you read it; it is now "Build part one".')
      .waitFor();
    expect(await project.json('show', '1')).toMatchObject({ title: 'Build part one', hints: null });
    await page.locator('.theirs', { hasText: 'Build part one' }).waitFor();
    // What was typed is there, beside what it says now; what was not touched is up to date.
    expect(await page.getByLabel('Title').inputValue()).toBe('Build the first part');
    expect(await page.getByLabel('Description').inputValue()).toBe('All of it');
    await page.keyboard.press('Escape');
    await page.keyboard.press('e');
    await page.getByText('What you typed before is still here.').waitFor();
    await page.getByRole('button', { name: 'Save mine' }).click();
    await page.getByText('Changed #1 Build the first part.').waitFor();
    expect(await project.json('show', '1')).toMatchObject({
      title: 'Build the first part',
      description: 'All of it',
      hints: 'Look at part 2',
    });
    // The row has changed around the focus and the selection.
    await page.getByRole('link', { name: '#1 Build the first part' }).waitFor();
    expect(await page.getByLabel('Select #1').isChecked()).toBe(true);
    expect(await page.locator(':focus').textContent()).toBe('#1 Build the first part');
  });

  it('the page of tasks gets a sentence for wrong input, by HTTP too, and nothing has changed', async () => {
    const project = await projectWith(2);
    writeFileSync(join(project.root, '.ralph/tasks.yaml'), 'tasks: [{ id: 3, title: From a file }]\n');
    writeFileSync(join(project.root, '.ralph/features.yaml'), 'features: [{ name: auth }]\n');
    await project.json('add', 'Draw it', '--draft');
    await project.json('add', 'Guard it', '--draft', '--feature', 'auth');
    const place = await dashboardWithin(project);
    const before = await project.json('list');
    const wrong: [string, unknown, number, RegExp][] = [
      ['add', {}, 400, /"title" is missing/],
      ['add', { title: ' ' }, 400, /"title" is empty; say in a few words/],
      ['add', { title: 'A', feature: 'shop' }, 409, /names the feature "shop", but there is no such feature/],
      ['add', { title: 'A', status: 'done' }, 400, /unknown key "status"/],
      ['add', { title: 'A', priority: 'hihg' }, 400, /did you mean "high"/],
      ['edit', { id: 9, change: { hints: 'a' }, seen: { hints: null } }, 409, /There is no task 9/],
      ['edit', { id: 1, change: { hints: 'a' }, seen: {} }, 400, /must say what was seen/],
      [
        'edit',
        { id: 1, change: { depends_on: [1] }, seen: { depends_on: [] } },
        409,
        /cannot depend on itself/,
      ],
      [
        'edit',
        { id: 1, change: { status: 'done' }, seen: { status: 'pending' } },
        400,
        /unknown key "status"/,
      ],
      [
        'edit',
        { id: 3, change: { title: 'Mine' }, seen: { title: 'From a file' } },
        409,
        /The title of task 3 is defined in .ralph\/tasks.yaml; change it there/,
      ],
      ['edit', { id: 1, change: {}, seen: {} }, 409, /Nothing to change/],
      ['skip', { ids: [1, 9] }, 409, /There is no task 9/],
      ['approve', {}, 400, /names no draft/],
      ['approve', { ids: [3], all: { count: 1 } }, 400, /names drafts, or all of them; not both/],
      ['approve', { all: { count: 3 } }, 409, /There are 2 drafts now, not 3; look at them again/],
      ['approve', { all: { count: 3, feature: 'auth' } }, 409, /There is 1 draft now, not 3/],
      ['approve', { all: { count: 1, feature: 'shop' } }, 409, /There is no feature "shop"/],
      ['add', { title: MEGABYTE }, 400, /"title" is 1000000 characters long; at most 500 are kept/],
      ['add', { title: 'A', hints: MEGABYTE }, 400, /"hints" is 1000000 characters long; at most 200000/],
      ['edit', { id: 1, change: { title: MEGABYTE }, seen: { title: '' } }, 400, /"title" is 1000000/],
      ['retry', { ids: [1], note: MEGABYTE }, 409, /The note is 1000000 characters long; at most 200000/],
      ['answer', { question: 1, text: MEGABYTE }, 409, /The answer is 1000000 characters long; at most/],
      ['add', { title: MEGABYTE.repeat(3) }, 413, /The request is larger than 2 MB; nothing was changed/],
    ];
    for (const [name, input, status, sentence] of wrong) {
      const response = await acted(place, name, input);
      const { error } = (await response.json()) as { error: string };
      expect(error.length).toBeLessThan(300);
      expect([name, input, response.status, error]).toEqual([
        name,
        input,
        status,
        expect.stringMatching(sentence),
      ]);
    }
    expect(await project.json('list')).toEqual(before);
    const ofFeature = await acted(place, 'approve', { all: { count: 1, feature: 'auth' } });
    expect(await ofFeature.json()).toEqual({ message: 'Queued #5 Guard it.' });
    for (const query of ['status=redy', 'page=x', 'page=0', 'colour=blue', 'feature=shop'])
      expect([query, (await asked(place, `/api/tasks?${query}`)).ok]).toEqual([query, false]);
  });
});
