import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { NO_USAGE } from '../../src/domain/sessions/session.ts';
import { LEFT_BEHIND } from '../../src/domain/sessions/session-state.ts';
import { identify } from '../../src/host/processes/process-identity.ts';
import { finish } from '../../src/queue/sessions/finish.ts';
import { record } from '../../src/queue/sessions/record.ts';
import { startRun } from '../../src/queue/sessions/runs.ts';
import { claim } from '../../src/queue/tasks/claim.ts';
import type { GateLogView } from '../../src/ui/views/gates.ts';
import type { PromptView } from '../../src/ui/views/task.ts';
import { acted, asked, type DashboardPlace, dashboardWithin, openPage } from '../support/dashboard.ts';
import { workedProject } from '../support/project-with-sessions.ts';
import { EXITED, effectsWith, gateResult, LIMITS } from '../support/queue.ts';
import { done, type ScriptedProject, scripted, shell } from '../support/scripted-agent.ts';

const MARKUP = '<img src=x onerror="document.title=\'pwned\'"><b>bold</b>';
/** Fails until somebody has written good.txt; in red, with a title for the terminal and markup. */
const GATE = `printf '\\033[31mnot ok 1\\033[0m \\033]0;pwned\\007${MARKUP.replaceAll("'", '"')}\\n'; test -z "$RALPH_GATE_OF" || test -f good.txt`;

/** Task 1: refuted by its gate, then asks. Task 3: stuck, and so failed. */
async function worked(): Promise<ScriptedProject> {
  const scene = await scripted(
    {
      1: [
        [
          { verb: 'flag', args: { what: MARKUP, severity: 'info', category: 'bug' } },
          done('Built, it seems.'),
        ],
        [
          { verb: 'ask', args: { question: 'Which zone?', blocking: true, options: ['UTC'] } },
          { verb: 'partial', args: { summary: 'Half.', remaining: 'The other half.' } },
        ],
        [shell('echo yes > good.txt'), done('Built, with zones.')],
      ],
      3: [[{ verb: 'stuck', args: { reason: 'No idea.' } }]],
    },
    `limits: { stuck: 1 }\ngates: [{ name: proof, command: ${JSON.stringify(GATE)} }]\n`,
  );
  const { json } = scene.project;
  await json('add', `Store times ${MARKUP}\u202e`, '--description', `See ${MARKUP} \u001b[2J`);
  await json('add', 'Choose a format', '--draft');
  await json('add', 'Show them', '--depends-on', '2');
  await json('approve', '--drop', '2');
  await json('learn', 'Store times in UTC');
  await scene.project.within('run');
  return scene;
}

it('shows a task with all that came of it, and lets a person move it on', async () => {
  const scene = await worked();
  const place = await dashboardWithin(scene.project);
  const page = await openPage();
  await page.goto(place.url);
  await retryWithNote(page, scene);
  await page.goto(place.url);
  await followToDone(page, scene, place);
  await page.goto(`${place.origin}/tasks/99`);
  await page.getByText('There is no task 99').waitFor();
});

/** The note is in the next prompt, whose cost the page shows. */
async function retryWithNote(page: Page, { project }: ScriptedProject): Promise<void> {
  await page.getByRole('link', { name: '#3 Show them' }).first().click();
  const main = page.locator('main');
  await main.getByText('It has failed.').waitFor();
  await main.getByRole('link', { name: '#2 Choose a format' }).waitFor();
  await page.keyboard.press('r');
  await page.getByLabel('A note for the next session').fill(`Ask <i>Eve</i>.\u0000`);
  await page.getByRole('button', { name: 'Queue it again' }).click();
  await page.getByText('The note contains a NUL byte; remove it.').waitFor();
  expect(await project.json('show', '3')).toMatchObject({ status: 'failed' });
  await page.getByLabel('A note for the next session').fill(`Ask <i>Eve</i>.`);
  await page.getByRole('button', { name: 'Queue it again' }).click();
  await page.getByText('Queued again #3 Show them.').waitFor();
  await main.getByText('a person, ').waitFor();

  await page.getByText('The prompt that an agent would get now').click();
  const table = page.getByRole('region', { name: 'Sections of the prompt' });
  const total = await table.getByRole('row', { name: 'Total' }).textContent();
  const { prompt, sections, hash } = (await project.json('prompt', '3')) as PromptView;
  expect(prompt).toContain('Ask <i>Eve</i>.');
  const sum = (key: 'bytes' | 'tokens') => sections.reduce((all, section) => all + section[key], 0);
  expect(total).toBe(
    `Total${sum('bytes').toLocaleString('en-US')}${sum('tokens').toLocaleString('en-US')}hash ${hash.slice(0, 12)}`,
  );
  const text = page.getByRole('region', { name: 'The whole prompt' });
  expect(await text.textContent()).toContain('Ask <i>Eve</i>.');
  await page.keyboard.press('s');
  await page.getByRole('button', { name: 'Skip it' }).click();
  await main.getByText('It was skipped.').waitFor();
  await page.getByLabel('Comment', { exact: true }).fill(MARKUP);
  await page.getByRole('button', { name: 'Comment' }).click();
  await page.getByText('Commented on #3 Show them; it is skipped').waitFor();
  await page.getByRole('region', { name: 'Comments' }).getByText(MARKUP).waitFor();
  expect((await project.within('prompt', '3')).stdout).toContain(`A person tells you:\n\n> ${MARKUP}`);
  await page.keyboard.press('e');
  await page.getByLabel('Title').fill('Show them all');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: '#3 Show them all' }).waitFor();
}

async function followToDone(
  page: Page,
  { project, git }: ScriptedProject,
  place: DashboardPlace,
): Promise<void> {
  await page.getByRole('link', { name: '#1 Store times' }).first().click();
  await page.getByRole('heading', { level: 1, name: `#1 Store times ${MARKUP}<U+202E>` }).waitFor();
  const main = page.locator('main');
  await main.getByText('It waits for the answer to Q1.').waitFor();
  expect(await main.textContent()).toContain(`See ${MARKUP} ␛[2J`);
  expect(await page.locator('main img, main b').count()).toBe(0);
  expect(await page.title()).not.toBe('pwned');

  const tries = page.getByRole('region', { name: 'Tries' }).getByRole('listitem');
  expect(await tries.getByText(/^Try/).allTextContents()).toEqual(['Try 2', 'Try 1']);
  const refuted = tries.filter({ hasText: 'Try 1' }).first();
  expect(await refuted.textContent()).toMatch(/gate failed.*flag.*info bug: .*done.*Built, it seems\./);
  await refuted.getByText('Output of proof').click();
  const output = refuted.getByRole('region', { name: 'Output of proof, try 1' });
  // Its colours and its title are gone, and its markup is text.
  expect(await output.textContent()).toContain('not ok 1 <img');
  await refuted.getByRole('button', { name: 'Show the whole log' }).click();
  await refuted.getByRole('button', { name: 'Show the whole log' }).waitFor({ state: 'detached' });
  await output.getByText('not ok 1 <img').waitFor();
  await refuted.getByText('The prompt it got').click();
  await refuted.getByRole('region', { name: 'The prompt, try 1' }).getByText('Store times').waitFor();
  const story = page.getByRole('region', { name: 'Timeline' });
  expect(await story.textContent()).toMatch(/ran.*checked: 0 of 1 gates passed.*ran.*waited for an answer/);

  await page.getByLabel('Answer to Q1').fill('The zone of the user');
  await page.getByRole('button', { name: 'Answer', exact: true }).click();
  await main.getByText('It is ready: nothing holds it back.').waitFor();
  await page.getByRole('button', { name: 'Answer Q1 again' }).click();
  const dialog = page.getByRole('dialog', { name: 'Replace the answer to Q1?' });
  await dialog.getByText('The zone of the user').waitFor();
  await dialog.getByRole('button', { name: 'UTC' }).click();
  await page.getByText('It replaces: The zone of the user').waitFor();

  // As much as can be kept is text like any other, and what is said of it stays a sentence.
  const long = `${MARKUP}${'x'.repeat(199_000)}`;
  await acted(place, 'answer', { question: 1, text: long, seen: 'UTC' });
  await main.getByText('Show all 199,').waitFor();
  expect(await page.locator('main img, main b').count()).toBe(0);
  const replaced = await acted(place, 'answer', { question: 1, text: 'UTC', seen: long });
  expect((await replaced.text()).length).toBeLessThan(500);

  // Whoever saw it open has not seen this one.
  const late = await acted(place, 'answer', { question: 1, text: 'CET', seen: null });
  expect([late.status, await late.text()]).toEqual([409, expect.stringContaining('it is now \\"UTC\\"')]);
  expect(await project.json('show', '1')).toMatchObject({ questions: [{ answer: 'UTC' }] });

  await project.within('run');
  const receipt = page.getByRole('region', { name: 'Receipt' });
  await receipt.getByText('Built, with zones.').waitFor();
  const commit = git('rev-parse', 'HEAD').trim();
  expect(await receipt.textContent()).toContain(commit.slice(0, 7));
  expect(await receipt.textContent()).toMatch(/2 files\+2-0.*proof/);
  // In the archive it stands elsewhere.
  await project.json('learn', 'archive', '1');
  await receipt.locator('a[href*=archived]').click();
  await page.locator('#learning-1').getByText('Store times in UTC').waitFor();
}

it('every page and the terminal say when the process at a task is gone, and stop their watch', async () => {
  const project = await workedProject('Store times', 'Show them');
  await project.json('edit', '2', '--depends-on', '1');
  const supervisor = spawn('sleep', ['600']);
  onTestFinished(() => void supervisor.kill('SIGKILL'));
  const run_id = await startRun(project.queue, identify(supervisor.pid ?? 0));
  await claim(project.queue, { run_id, session_id: 'left-1' });
  const place = await dashboardWithin(project);
  const page = await openPage();
  const main = page.locator('main');
  await page.goto(place.url.replace('/#', '/tasks/1#'));
  await main.getByText('A session works on it, for').waitFor();
  const died = once(supervisor, 'exit');
  supervisor.kill('SIGKILL');
  await died;

  // Nobody asks for it: the page is told.
  await main.getByText(`A session has it. ${LEFT_BEHIND}`).waitFor();
  const tries = page.getByRole('region', { name: 'Tries' });
  expect(await tries.textContent()).toMatch(/Try 1▷ left behind/);
  expect(await page.locator('.task-head .status').textContent()).toBe('▷ left behind');
  expect(await main.textContent()).not.toMatch(/running|in progress/);
  await page.goto(`${place.origin}/tasks/2`);
  await main.getByText('It waits for #1 Store times ▷ left behind').waitFor();
  await page.goto(`${place.origin}/tasks`);
  const row = page.getByRole('row').filter({ hasText: '#1 Store times' });
  await row.getByRole('link', { name: LEFT_BEHIND }).waitFor();
  expect(await row.textContent()).toMatch(/▷ left behind.*1 try.*0\.0s/);
  await page.goto(`${place.origin}/graph`);
  await page.getByRole('button', { name: /^#1 .*left behind/ }).waitFor();

  const said = async (...args: string[]): Promise<string> => (await project.within(...args)).stdout;
  expect(await said('why', '1')).toContain(`is held by session left-1. ${LEFT_BEHIND}`);
  expect(await said('show', '1')).toMatch(/▷ left behind.*left-1 {2}try 1 {2}.* left behind/s);
  expect(await said('list')).toContain('▷ left behind');
  expect(await said('log')).toMatch(/left-1 .* left behind/);
  expect(await said('graph')).toContain('▷');
});

it('gives out no file but the log that belongs to the gate', async () => {
  const project = await workedProject('Store times');
  const { queue, run_id } = project;
  const { folder } = await project.begin('session-a');
  const log = join(folder, 'gates/proof.log');
  mkdirSync(join(folder, 'gates'));
  writeFileSync(log, `${'x'.repeat(300)}\n`.repeat(1_000));
  await record(queue, { session_id: 'session-a', call_id: null, signal: { verb: 'done', summary: 's' } });
  const effects = effectsWith({ ...gateResult(false), log });
  await finish(queue, {
    session_id: 'session-a',
    run_id,
    end: EXITED,
    usage: NO_USAGE,
    effects,
    limits: LIMITS,
  });
  const place = await dashboardWithin(project);
  const get = async (path: string): Promise<[number, string]> => {
    const answer = await asked(place, path);
    return [answer.status, await answer.text()];
  };
  const [, read] = await get('/api/sessions/session-a/gate?name=test');
  const end: GateLogView = JSON.parse(read);
  // The last 200 KB, from the first whole line on.
  expect([end.isWhole, end.bytes, end.text.length]).toEqual([false, 301_000, 680 * 301]);

  const missing = expect.stringContaining('The prompt of this session was not saved');
  expect(await get('/api/sessions/session-a/prompt')).toEqual([409, missing]);
  for (const [session, name] of [
    ['session-a', 'gates/proof.log'],
    ['..%2Fsession-a', 'test'],
    ['session-b', 'test'],
  ])
    expect((await get(`/api/sessions/${session}/gate?name=${name}`))[0]).toBe(409);

  writeFileSync(join(project.home, 'secret'), 'what-stands-outside');
  rmSync(log);
  symlinkSync(join(project.home, 'secret'), log);
  const away = expect.stringContaining('is missing');
  expect(await get('/api/sessions/session-a/gate?name=test')).toEqual([409, away]);
  rmSync(folder, { recursive: true });
  expect(await get('/api/sessions/session-a/gate?name=test')).toEqual([409, away]);
  expect((await get('/api/tasks/x'))[0]).toBe(400);
});
