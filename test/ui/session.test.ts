import { appendFileSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { record } from '../../src/queue/sessions/record.ts';
import { savePark, startRun } from '../../src/queue/sessions/runs.ts';
import { claim } from '../../src/queue/tasks/claim.ts';
import { insertGateRuns } from '../../src/store/sessions/gate-runs.ts';
import { closeToSignals } from '../../src/store/sessions/sessions.ts';
import { acted, asked, dashboardWithin, openPage } from '../support/dashboard.ts';
import { workedProject } from '../support/project-with-sessions.ts';
import { gateResult } from '../support/queue.ts';
import { scripted, shell } from '../support/scripted-agent.ts';

const lines = (...said: object[]): string => said.map((line) => `${JSON.stringify(line)}\n`).join('');
const usage = { input_tokens: 10, cache_read_input_tokens: 41_990, output_tokens: 5 };
let messages = 0;
const assistant = (...content: object[]) => ({
  type: 'assistant',
  message: { id: `m${messages++}`, usage, content },
});
const text = (text: string) => assistant({ type: 'text', text });
const uses = (name: string, input: object) => assistant({ type: 'tool_use', name, input });
const answer = (content: string, is_error = false) => ({
  type: 'user',
  timestamp: '2026-05-01T10:00:00.000Z',
  message: { content: [{ type: 'tool_result', content, is_error }] },
});
const INIT = { type: 'system', subtype: 'init', model: 'claude-haiku-4-5-20251001', mcp_servers: [] };

const listOf = (page: Page): Locator => page.getByRole('listbox', { name: 'What happened' });
const pathOf = (page: Page): string => new URL(page.url()).pathname;

it('a session is watched from what runs now: its last action, its entries as they come, and each of them whole', async () => {
  const project = await workedProject('Build the parser');
  const { stream } = await project.begin(
    'f00d-1',
    lines(
      INIT,
      text('I look first.'),
      uses('Edit', { file_path: join(project.root, 'src/a.ts'), new_string: 'b' }),
    ),
  );
  const page = await openPage();
  const isTold = page.waitForRequest(/\/api\/events\?session=f00d-1$/);
  await page.goto((await dashboardWithin(project)).url);
  await page.getByText('Edit src/a.ts').waitFor();
  await isTold;
  const card = await page.getByRole('listitem').filter({ hasText: 'Build the parser' }).textContent();
  expect(card).toMatch(/try 1\/3.*turn 2\/50haiku-4-584k tokens/);
  appendFileSync(stream, lines(uses('Bash', { command: 'npm test' })));
  await page.getByText('Bash npm test').waitFor();

  await page.getByRole('link', { name: 'Watch it' }).click();
  const list = listOf(page);
  await list.getByRole('option', { name: 'uses: Bash npm test' }).waitFor();
  expect(pathOf(page)).toBe('/sessions/f00d-1');
  appendFileSync(
    stream,
    lines(answer('2 failed', true), ...Array.from({ length: 60 }, (_, at) => text(`Step ${at}`))),
  );
  const last = list.getByRole('option', { name: 'says: Step 59' });
  await last.waitFor();
  expect(await last.getAttribute('aria-posinset')).toBe('65');
  expect(await last.getAttribute('aria-setsize')).toBe('65');

  // Whoever goes up reads in peace, until they want to follow again.
  await list.focus();
  await page.keyboard.press('Home');
  await page.getByRole('button', { name: 'Follow', exact: true }).waitFor();
  await page.getByRole('heading', { name: 'Entry 1: began' }).waitFor();
  appendFileSync(stream, lines(text('The newest of all')));
  await page.getByRole('button', { name: 'all 66' }).waitFor();
  expect(await list.evaluate(({ scrollTop }) => scrollTop)).toBe(0);
  await page.keyboard.press('f');
  await list.getByRole('option', { name: 'says: The newest of all' }).waitFor();

  // By keys alone: two further, whole, and what is wrong.
  await page.keyboard.press('Home');
  await page.keyboard.press('j');
  await page.keyboard.press('ArrowDown');
  await page.getByRole('heading', { name: 'Entry 3: uses Edit' }).waitFor();
  await page.getByRole('heading', { name: 'new_string' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { name: 'Reported' }).waitFor();
  await page.getByRole('button', { name: 'errors 1' }).click();
  await list.getByRole('option', { name: 'gets, wrong: 2 failed' }).waitFor();
  await expect.poll(() => list.getByRole('option').count()).toBe(1);

  await record(project.queue, {
    session_id: 'f00d-1',
    call_id: null,
    signal: { verb: 'learned', text: 'It needs a clock.', kind: 'gotcha', scope: 'feature' },
  });
  await page.getByText('It needs a clock.').waitFor();
});

it('the page of a session follows 50 MB, searches them and scrolls through them with a few rows in the page', async () => {
  const project = await workedProject('Write a lot');
  const words = 'words '.repeat(700);
  const filler = Array.from({ length: 12_000 }, (_, at) => text(`Step ${at}: ${words}`));
  const needle = uses('Write', { file_path: 'x.md', content: `${'hay '.repeat(1_000)} a "Needle" in it` });
  const { stream } = await project.begin('b19', lines(INIT, ...filler, needle, text('A second needle')));
  expect(statSync(stream).size).toBeGreaterThan(50_000_000);
  const page = await openPage();
  await page.goto((await dashboardWithin(project)).url.replace('/#', '/sessions/b19#'));
  const list = listOf(page);
  const rows = list.getByRole('option');
  await rows.filter({ hasText: 'A second needle' }).waitFor();
  appendFileSync(stream, lines(text('The end')));
  await rows.filter({ hasText: 'The end' }).waitFor();
  expect(await rows.last().getAttribute('aria-setsize')).toBe('12004');
  await list.focus();
  for (const [key, shown] of [
    ['Home', 'Step 0:'],
    ['PageDown', 'Step 20:'],
    ['End', 'The end'],
  ] as const) {
    await page.keyboard.press(key);
    await rows.filter({ hasText: shown }).waitFor();
    expect(await rows.count()).toBeLessThan(100);
  }
  await list.evaluate((box) => box.scrollTo({ top: box.scrollHeight / 2 }));
  await rows.filter({ hasText: 'Step 6000:' }).waitFor();
  expect(await rows.count()).toBeLessThan(100);

  // A search that could not be made says so, and is made when the server is heard of again.
  await page.keyboard.press('Home');
  const behind = { json: { found: [], next: 0, count: 0 } };
  await page.route('**/find?*', (route) => route.abort(), { times: 1 });
  await page.route('**/find?*', (route) => route.fulfill(behind), { times: 1 });
  await page.keyboard.press('/');
  await page.keyboard.type('needle');
  await page.getByRole('alert').getByText('The server does not answer').waitFor();
  await page.getByText('0+ matches').waitFor();
  await project.json('add', 'Something happens');
  await page.getByText('1 of 2').waitFor();
  await page.getByRole('heading', { name: 'Entry 12002: uses Write' }).waitFor();
  await list.focus();
  await page.keyboard.press('n');
  await page.getByText('2 of 2').waitFor();
  await page.getByRole('heading', { name: 'Entry 12003' }).waitFor();
  await page.keyboard.press('N');
  await page.getByText('1 of 2').waitFor();
  expect(page.url()).toContain('q=needle');
});

it('the page of a session shows what an agent wrote as text, whatever it is', async () => {
  const project = await workedProject('Be careful <b>here</b>');
  const markup = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
  const { folder } = await project.begin(
    'e511',
    [
      lines(
        text(markup),
        answer(`\u001b[31mred \u202eesrever\u0007 ${markup}`),
        { type: 'system', subtype: markup, text: markup },
        answer('x'.repeat(1_000_000)),
      ),
      `${markup}\n`,
      '{"type":"assistant","message":{"content":[{"type":"text","text":"half a line',
    ].join(''),
  );
  writeFileSync(join(folder, 'stream.stderr'), `\u001b[2J${markup}`);
  const gate = { ...gateResult(false), tail: `\u001b[31mnot ok\u001b[0m \u202e${markup}` };
  await project.queue.store.write((db) =>
    insertGateRuns(db, {
      session_id: 'e511',
      results: [{ ...gate, tail: 'cut off' }, gate],
      baseline: false,
      created: 1,
    }),
  );
  const page = await openPage();
  await page.goto((await dashboardWithin(project)).url.replace('/#', '/sessions/e511#'));
  const list = listOf(page);
  await list.getByRole('option', { name: `says: ${markup}` }).waitFor();
  await list.getByRole('option', { name: `gets: red <U+202E>esrever␇ ${markup}` }).click();
  await page.getByText(`red <U+202E>esrever␇ ${markup}`).last().waitFor();
  await list.getByRole('option', { name: 'gets: xxx' }).click();
  await expect.poll(() => page.getByRole('article').locator('pre').textContent()).toHaveLength(1_000_000);
  await page.getByRole('button', { name: 'Close the entry' }).click();
  await expect.poll(() => page.locator('.beside pre').textContent()).toBe(markup);
  await page.getByText('Output of test').last().click();
  await page.getByText(`not ok <U+202E>${markup}`, { exact: true }).last().waitFor();
  expect(await page.locator('.beside .gate').count()).toBe(2);
  expect(await list.getByRole('option').count()).toBe(5);
  expect(await page.locator('img, main script, main b').count()).toBe(0);
  expect(await page.title()).not.toMatch(/^[12]$/);
});

it('a session is found in the list, with what became of it, and says why there is nothing to read', async () => {
  const project = await workedProject('One', 'Two');
  const { stream, folder } = await project.begin('aaaa-1');
  const gone = await startRun(project.queue, { pid: 2 ** 22 + 1, process_started: '1' });
  await claim(project.queue, { run_id: gone, session_id: 'bbbb-2' });
  const place = await dashboardWithin(project);
  const page = await openPage();
  await page.clock.install();
  await page.goto(place.url.replace('/#', '/sessions#'));
  await page.getByRole('row').filter({ hasText: '#2 Two' }).getByText('left behind').waitFor();
  await page.getByRole('row').filter({ hasText: '#1 One' }).getByText('running').waitFor();
  await page.getByLabel('task').fill('9');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('There is no task 9').waitFor();
  await page.getByLabel('task').fill('2');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  let readings = 0;
  page.on('request', (one) => {
    if (one.url().endsWith('/api/sessions/bbbb-2')) readings += 1;
  });
  await page.getByRole('link', { name: 'bbbb-2' }).click();
  await page.getByText('Its process is gone; the next ralph run finishes it.').waitFor();
  await page.getByText('It has no output yet.').waitFor();
  expect(await page.getByRole('button', { name: /Stop/ }).count()).toBe(0);
  expect(await page.locator('.session-head').textContent()).toMatch(/began \w+ ago(?!.*running for)/);
  // Nothing comes of looking again at what is over.
  await page.clock.runFor(10_000);
  await page.getByText('began 1').waitFor();
  expect(readings).toBe(1);

  for (const [path, status, sentence] of [
    ['/api/sessions/none', 409, 'There is no session'],
    ['/api/sessions/aaaa-1/entry?at=7', 404, 'There is no entry 7'],
    ['/api/sessions/aaaa-1/entries?only=jokes', 400, 'only'],
    ['/api/sessions/aaaa-1/find?q=', 400, 'is empty'],
    ['/api/sessions?open=perhaps', 400, 'not one of 1'],
  ] as const) {
    const response = await asked(place, path);
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(sentence)]);
  }
  // Its agent has ended, and the second of its gates runs.
  const gates = ['lint', 'types', 'test'].map((name) => ({ name, command: 'true' }));
  writeFileSync(join(project.root, '.ralph/config.yaml'), JSON.stringify({ gates }));
  mkdirSync(join(folder, 'gates'));
  for (const name of ['lint', 'types']) writeFileSync(join(folder, 'gates', `${name}.log`), '');
  await project.queue.store.write((db) => closeToSignals(db, 'aaaa-1', Date.now()));
  await page.goto(`${place.origin}/sessions/aaaa-1`);
  await page.getByText('checking the work: gates 1/3').waitFor();

  // As long as somebody follows it, they are told that it grows.
  const told = await asked(place, '/api/events?session=aaaa-1');
  appendFileSync(stream, 'something\n');
  let heard = '';
  for await (const bytes of told.body ?? []) {
    heard += Buffer.from(bytes).toString();
    if (heard.includes('event: grown\ndata: 10\n\n')) break;
  }
  expect(heard).toContain('event: grown');
  const refused = await acted(place, 'stop', { run: gone, when: 'now' });
  expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('is gone')]);
});

it('the page of now says until when a run waits, as soon as that is told', async () => {
  const project = await workedProject('Be patient');
  const page = await openPage();
  await page.goto((await dashboardWithin(project)).url);
  await page.getByText('is between two sessions.').waitFor();
  await savePark(project.queue, project.run_id, { agent: 'codex', until: Date.now() + 3_600_000 });
  await page.getByText(/Waiting until \d\d:\d\d, (59m\d\ds|1h00m) left/).waitFor();
  await page.getByText(/codex has reached its usage limit, until \d\d:\d\d/).waitFor();
  await page.getByRole('button', { name: 'Stop the run' }).click();
  await page.getByText('Stopping after this task: no other task will start.').waitFor();
});

it('a person ends a session on its page, and the task goes back', async () => {
  const { project } = await scripted({
    1: [[shell('touch ~/began; while [ ! -e ~/go ]; do sleep 0.05; done')]],
  });
  await project.json('add', 'Take your time');
  const page = await openPage();
  await page.goto((await dashboardWithin(project)).url);
  await page.getByText('No supervisor is running.').waitFor();
  const ran = project.ralph('run');
  onTestFinished(async () => {
    writeFileSync(join(project.home, 'go'), '');
    await ran;
  });
  await expect.poll(() => existsSync(join(project.home, 'began'))).toBe(true);
  await page.getByRole('button', { name: 'Stop after this task' }).click();
  await page.getByText('Run 1 will stop when its current session has ended.').waitFor();
  await page.getByText('Stopping after this task').waitFor();
  await page.getByRole('link', { name: 'Watch it' }).click();
  await page.getByRole('button', { name: 'Stop now' }).click();
  const dialog = page.getByRole('dialog', { name: 'Stop now?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Stop now' }).click();
  await dialog.getByRole('button', { name: 'End the session' }).click();
  await page.getByText('interrupted').waitFor();
  expect(await ran).toMatchObject({ code: 130 });
  expect(await project.json('show', '1')).toMatchObject({ status: 'pending', attempts: 0 });
  await page.getByRole('link', { name: /^Now/ }).click();
  await page.getByText('No supervisor is running.').waitFor();
});
