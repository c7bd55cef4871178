import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordJournaled } from '../../src/queue/journal/journal.ts';
import { changesSince } from '../../src/queue/queue.ts';
import { addContextFile } from '../../src/queue/tasks/context-files.ts';
import {
  acted,
  asked,
  type DashboardPlace,
  dashboardWithin,
  goBack,
  openPage,
} from '../support/dashboard.ts';
import { entry } from '../support/journal.ts';
import { type Worked, workedProject } from '../support/project-with-sessions.ts';
import { runSession } from '../support/queue.ts';
import { initialised } from '../support/ralph.ts';

const FILES: Readonly<Record<string, string>> = {
  '.ralph/features.yaml': `features:
  - { name: auth, display_name: Sign-in, description: Who somebody is., dependencies: [account],
      knowledge_paths: [docs, docs/harmless.md, .env], spec_file: specs/sign-in.md, acceptance_criteria: [Nobody is let in twice] }
  - { name: account, status: done }
`,
  'docs/tokens.md': '# Tokens\n\n## Refreshing\n\nA refresh token is rotated at every use.\n',
  'specs/sign-in.md': '# Sign-in\n',
  '.env': 'KEY=do-not-show\n',
  'other.md': 'named by nobody\n',
  'src/session.ts': 'export const session = 1;\n',
  '.ralph/memory/auth.jsonl': `${JSON.stringify(entry('s1', { summary: 'Hashed with Argon2.' }))}\n`,
};

/** A feature with documents, a journal, learnings that three sessions were given, and a file that all of them looked for. */
async function knowing(): Promise<Worked> {
  const project = await workedProject();
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(project.root, path)), { recursive: true });
    writeFileSync(join(project.root, path), text);
  }
  symlinkSync('../.env', join(project.root, 'docs/harmless.md'));
  await project.json('init', '--new-queue');
  await project.json('learn', 'The token lives for 30 days', '--feature', 'auth');
  await project.json('learn', 'The token lives for 7 days', '--feature', 'auth', '--why', 'it was reviewed');
  await project.json('learn', 'Redis is started by compose', '--feature', 'auth');
  await project.json('learn', 'archive', '3');
  await project.json('learn', 'Times are in UTC', '--kind', 'decision');
  for (const verb of ['done', 'done', 'partial'] as const) {
    await project.json('add', `A task that is ${verb}`, '--feature', 'auth');
    const learned = {
      verb: 'learned',
      text: `Learned when ${verb}`,
      kind: 'gotcha',
      scope: 'feature',
    } as const;
    const closing = verb === 'done' ? { verb, summary: '.' } : { verb, summary: '.', remaining: '.' };
    const { session_id } = await runSession(project.queue, [learned, closing], { given: [1] });
    await recordJournaled(project.queue, {
      session_id,
      feature: 'auth',
      touched: ['src/session.ts'],
      auto_context: false,
    });
  }
  return project;
}

describe('the page of knowledge', () => {
  it('the page of knowledge says what to type where nothing is known', async () => {
    const page = await openPage();
    const { url } = await dashboardWithin(await initialised());
    await page.goto(url.replace('/#', '/knowledge#'));
    await page.getByText('ralph learn "One fact that saves time"').waitFor();
  });

  it('the page of knowledge shows which session added a file to a feature, and lets a person remove it', async () => {
    const project = await knowing();
    await project.json('add', 'Find a file', '--feature', 'auth', '--priority', 'critical');
    await project.begin('finder');
    await addContextFile(project.queue, 'finder', 'src/session.ts', 'feature');
    const page = await openPage();
    const { url } = await dashboardWithin(project);
    await page.goto(url.replace('/#', '/knowledge?feature=auth#'));
    const added = page.getByText('src/session.ts').locator('xpath=ancestor::li[1]').first();
    await added.getByRole('link', { name: 'task 4' }).waitFor();
    await added.getByRole('button', { name: 'Remove src/session.ts' }).click();
    await page.getByText('Removed src/session.ts: no session of auth is given it').waitFor();
    await page.getByRole('button', { name: 'Remove src/session.ts' }).waitFor({ state: 'detached' });
  });

  it('the page of knowledge shows a feature, what was learned of it and what came of that, its files and its journal', async () => {
    const page = await openPage();
    const { url, origin } = await dashboardWithin(await knowing());
    await page.goto(url);
    await page.getByRole('link', { name: 'Knowledge' }).click();
    await page.getByText('Times are in UTC').waitFor();
    await page.getByRole('link', { name: /^Sign-in.*active · 2 of 3 tasks · 4 learnings/ }).click();
    await page.getByText('Nobody is let in twice').waitFor();
    expect(page.url()).toBe(`${origin}/knowledge?feature=auth`);
    expect(await page.getByText('2 done, 1 open').getAttribute('href')).toBe('/tasks?feature=auth');
    const newer = page.getByRole('article', { name: 'Learning 2' });
    await newer.getByText('contradicts 1').waitFor();
    await newer.getByText('it was reviewed').waitFor();
    const pair = page.getByRole('listitem').filter({ has: newer });
    await pair
      .getByRole('article', { name: 'Learning 1' })
      .getByText('67% passed on the first try')
      .waitFor();
    await page.getByRole('link', { name: '#1 A task that is done' }).waitFor();
    await page.getByRole('link', { name: 'Archive 1' }).click();
    await page.getByText('Redis is started by compose').waitFor();
    expect(await page.getByText('The token lives').count()).toBe(0);
    await page.getByText('.env (may hold secrets)').waitFor();
    await page.getByText('docs/harmless.md (may hold secrets)').waitFor();
    await page.getByText('what its last sessions did').click();
    await page.getByText('Hashed with Argon2.').waitFor();
    await page.getByRole('link', { name: 'specs/sign-in.md' }).last().click();
    await page.getByRole('dialog').getByText('# Sign-in').waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL(/feature=auth&archived=1$/);
  });

  it('the page of knowledge finds words in all of it, marks them, and leads to where they are', async () => {
    const page = await openPage();
    const { url, origin } = await dashboardWithin(await knowing());
    await page.goto(url);
    await page.keyboard.press('g');
    await page.keyboard.press('k');
    await page.getByRole('heading', { name: 'Whole project' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('token rotated');
    await page.keyboard.press('Enter');
    await page.getByText(/results, the best first/).waitFor();
    expect(page.url()).toBe(`${origin}/knowledge?q=token+rotated`);
    const found = page.getByRole('listitem').filter({ hasText: 'docs/tokens.md:3' });
    expect(await found.locator('mark').allTextContents()).toEqual(['token', 'rotated']);
    await found.getByRole('link').click();
    await page.getByRole('dialog').locator('mark', { hasText: '## Refreshing' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.waitForURL(`${origin}/knowledge?q=token+rotated`);
    await page.getByText(/results, the best first/).waitFor();
    // What was closed is not opened again by going back.
    await goBack(page);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('link', { name: '1, discovery' }).click();
    await page.getByRole('article', { name: 'Learning 1' }).waitFor();
    expect(page.url()).toBe(`${origin}/knowledge?feature=auth#learning-1`);
  });

  it('teaches, edits, archives, restores, removes, and gives files to sessions', async () => {
    const project = await knowing();
    const page = await openPage();
    const { url } = await dashboardWithin(project);
    await page.goto(url.replace('/#', '/knowledge?feature=auth#'));
    await page.getByRole('button', { name: 'Teach a fact' }).click();
    await page.getByLabel('The fact').fill('The token lives for 7 days.');
    // What is wrong elsewhere takes nothing away from whoever types.
    const features = join(project.root, '.ralph/features.yaml');
    const unread = /api\/(knowledge|feature)/;
    await page.route(unread, (route) => route.fulfill({ status: 409, json: { error: 'Not now.' } }));
    appendFileSync(features, '  - { name: billing }\n');
    await expect.poll(() => page.locator('.error', { hasText: 'Not now.' }).count()).toBe(2);
    await page.unroute(unread);
    appendFileSync(features, '  - { name: mail }\n');
    await expect.poll(() => page.locator('.error').count()).toBe(0);
    await page.getByRole('button', { name: 'Teach it' }).click();
    await page.getByText('Known already: learning 2, now confirmed.').waitFor();
    await page.getByRole('article', { name: 'Learning 2' }).getByText('said 2 times').waitFor();

    await page.getByRole('button', { name: 'Edit learning 2' }).click();
    await page.getByLabel('The fact').fill('The token lives for 9 days');
    await project.json('learn', 'edit', '2', 'The token lives for 8 days');
    await page
      .getByRole('article', { name: 'Learning 2' })
      .getByText('The token lives for 8 days', { exact: true })
      .waitFor();
    // Whoever was told of another trouble has not been told that somebody changed it.
    const unanswered = /edit-learning|learnings/;
    await page.route(unanswered, (route) => route.abort());
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByText('The server does not answer').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Save', exact: true }).isEnabled()).toBe(true);
    await page.unroute(unanswered);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/it is now "The token lives for 8 days"/).waitFor();
    await page.getByText('Another person changed it meanwhile, to: The token lives for 8 days').waitFor();
    expect(await page.getByLabel('The fact').inputValue()).toBe('The token lives for 9 days');
    await page.getByRole('button', { name: 'Save mine' }).click();
    await page.getByText('Learning 2 now says: The token lives for 9 days').waitFor();

    await page.getByRole('button', { name: 'Archive learning 1' }).click();
    await page.getByText('Learning 1 is no longer in prompts').waitFor();
    await page.getByRole('link', { name: 'Archive 2' }).click();
    await page.getByRole('button', { name: 'Restore learning 1' }).click();
    await page.getByText('Learning 1 may be in prompts again.').waitFor();
    await page.getByRole('button', { name: 'Remove learning 3' }).click();
    await page.getByRole('button', { name: 'Remove it' }).click();
    await page.getByText('Nothing is in the archive.').waitFor();

    await page.getByRole('button', { name: 'Add them to every prompt of this feature' }).click();
    await page
      .getByText('auth: src/session.ts (3 sessions) is now given to every session of this feature.')
      .waitFor();
    await page.getByText('In every prompt').waitFor();
    expect(await project.json('learn', 'list')).toMatchObject([
      { id: 6 },
      { id: 5 },
      { id: 4 },
      { id: 2, body: 'The token lives for 9 days', reason: 'it was reviewed', confirmations: 1 },
      { id: 1, archived: null },
    ]);
    const doors = (await changesSince(project.queue, 0)).map(({ kind, via }) => `${kind} ${via}`);
    expect(doors).toEqual(expect.arrayContaining(['learning.edited ui', 'learning.edited cli']));
  });
});

it('shows no file that nobody names, that is a secret, or that lies elsewhere, and says the same sentences as a command', async () => {
  const project = await knowing();
  const place = await dashboardWithin(project);
  const error = async (answer: Promise<Response>): Promise<unknown> => {
    const response = await answer;
    return [response.status, ((await response.json()) as { error?: string }).error];
  };
  const read = (at: DashboardPlace, path: string) =>
    asked(at, `/api/document?${new URLSearchParams({ path })}`);
  expect(await (await read(place, 'docs/tokens.md')).json()).toEqual({ text: FILES['docs/tokens.md'] });
  for (const path of ['other.md', '../other.md', '/etc/passwd', 'docs/../other.md', 'docs', ''])
    expect(await error(read(place, path)), path).toEqual([
      409,
      `No feature names ${path}, so it is not shown.`,
    ]);
  for (const path of ['.env', 'docs/harmless.md'])
    expect(await error(read(place, path))).toEqual([409, `${path} is not shown (may hold secrets).`]);
  const long = 'x'.repeat(2 ** 20);
  expect(
    await error(acted(place, 'learn', { body: long, category: 'gotcha', reason: null, feature: null })),
  ).toEqual([409, 'The learning is 1048576 characters long; say the one fact in at most 2000.']);
  const nothing = { body: ' ', category: 'gotcha', reason: null, feature: null };
  expect(await error(acted(place, 'learn', nothing))).toEqual([
    409,
    'The learning is empty; say the one fact.',
  ]);
  expect(await error(acted(place, 'learn', { ...nothing, body: 'x', feature: 'aut' }))).toEqual([
    409,
    'There is no feature "aut"; did you mean "auth"?',
  ]);
  expect(await error(acted(place, 'archive-learning', { id: 99 }))).toEqual([
    409,
    'There is no learning 99; ralph learn list shows all learnings.',
  ]);
});
