import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { databasePath, findProject } from '../../src/host/project.ts';
import { asked, dashboard, dashboardWithin, openPage } from '../support/dashboard.ts';
import { rawServer } from '../support/mcp.ts';
import { workedProject } from '../support/project-with-sessions.ts';
import { runSession } from '../support/queue.ts';
import { initialised, type TestProject } from '../support/ralph.ts';
import { done, scripted, shell } from '../support/scripted-agent.ts';

async function withDraft(): Promise<TestProject> {
  const project = await initialised();
  await project.json('add', 'Draw it', '--draft');
  return project;
}

const GONE = 'The server is gone';

describe('a page that is open', () => {
  it('stands still while it is paused, counts what it misses, and catches up', async () => {
    const project = await withDraft();
    for (const title of ['Cut it', 'Fold it']) await project.json('add', title, '--draft');
    const server = await dashboard(project);
    const page = await openPage();
    await page.goto(server.url);
    await page.getByText('3 drafts to approve').waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    await page.keyboard.press('p');
    // A connection that is made anew is no news.
    const again = page.waitForResponse((response) => response.url().endsWith('/api/events'));
    await server.stop();
    await dashboard(project);
    await again;
    await project.json('approve', '1', '2', '3');
    await page.getByText('paused, 3 new', { exact: true }).waitFor();
    expect(await page.getByText('3 drafts to approve').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Nothing needs you.').waitFor();
  });

  it('a page that is open says that its server was killed, and goes on with what it missed when there is one again', async () => {
    const project = await withDraft();
    const first = await dashboard(project);
    const page = await openPage();
    await page.goto(first.url);
    await page.getByText('1 draft to approve').waitFor();
    await first.stop('SIGKILL');
    await page.getByText(GONE).waitFor();
    expect(await page.getByText('1 draft to approve').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.locator('.notices').getByText('The server does not answer.').waitFor();
    await project.within('approve', '1');
    const second = await dashboard(project);
    expect(second.url).toBe(first.url);
    await page.getByText('Nothing needs you.').waitFor();
    await page.getByText(GONE).waitFor({ state: 'detached' });
  });

  it('a page that is open gives its key to no other program that listens where its server was', async () => {
    const project = await withDraft();
    const server = await dashboard(project);
    const page = await openPage();
    await page.goto(server.url);
    await page.getByText('1 draft to approve').waitFor();
    await server.stop('SIGKILL');
    // Until then the page takes whoever answers for the server that has proven itself.
    await page.getByText(GONE).waitFor();
    const heard: IncomingHttpHeaders[] = [];
    const wanted = new Set<string>();
    const stranger = createServer(({ headers, url = '' }, response) => {
      heard.push(headers);
      wanted.add(url.replace(/\?.*/, ''));
      response.setHeader('content-type', 'application/json').end('{"proof":"00"}');
    }).listen(Number(new URL(server.origin).port), '127.0.0.1');
    onTestFinished(() => {
      stranger.closeAllConnections();
      stranger.close();
    });
    await once(stranger, 'listening');
    await expect.poll(() => heard.length).toBeGreaterThan(0);
    await page.getByRole('alert').getByText('Another program answers at this address now').first().waitFor();
    await page.getByText(GONE).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.locator('.notice').getByText('Another program answers at this address now').waitFor();
    expect(heard.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
    // Nor is it asked for a script: that would run with the key in its reach.
    expect([...wanted]).toEqual(['/api/hello']);
    expect((await project.ralph('ui', '--port', new URL(server.origin).port)).stderr).toContain('EADDRINUSE');
  });

  it('a page that is open takes its key from an address that is pasted into it', async () => {
    const { origin, url, token } = await dashboardWithin(await withDraft());
    const page = await openPage();
    await page.goto(origin);
    await page.getByText('This page needs its key').waitFor();
    await page.goto(url);
    await page.getByText('1 draft to approve').waitFor();
    expect(page.url()).not.toContain(token);
    // What Ralph itself opens a browser with is good for one page.
    const issued = await asked({ origin, token }, '/api/ticket', { method: 'POST' });
    const { ticket } = (await issued.json()) as { ticket: string };
    const [first, second] = [await openPage(), await openPage()];
    await first.goto(`${origin}/#${ticket}`);
    await first.getByText('1 draft to approve').waitFor();
    expect([first.url(), await first.evaluate("sessionStorage['ralph-token']")]).toEqual([
      `${origin}/`,
      token,
    ]);
    await second.goto(`${origin}/#${ticket}`);
    await second.getByText('This page needs its key').waitFor();
  });

  it('a page that is open takes a long silence for an end, and goes on when it is over', async () => {
    const project = await withDraft();
    const server = await dashboard(project);
    const page = await openPage();
    await page.clock.install();
    await page.goto(server.url);
    await page.getByText('live', { exact: true }).waitFor();
    server.signal('SIGSTOP');
    await project.json('approve', '1');
    await page.clock.fastForward(31_000);
    await page.getByText(GONE).waitFor();
    server.signal('SIGCONT');
    await page.getByText('Nothing needs you.').waitFor();
    await page.getByText(GONE).waitFor({ state: 'detached' });
  });

  it('a page that is open shows what was answered in a terminal', async () => {
    const project = await workedProject('Build it');
    await runSession(project.queue, [
      { verb: 'ask', question: 'REST or gRPC?', blocking: true, options: [] },
    ]);
    const page = await openPage();
    await page.goto((await dashboardWithin(project)).url);
    await page.getByText('REST or gRPC?').first().waitFor();
    await project.within('answer', '1', 'gRPC');
    await page.getByText('REST or gRPC?').first().waitFor({ state: 'detached' });
    await page.goto(`${new URL(page.url()).origin}/tasks/1`);
    await page.getByText('gRPC', { exact: true }).first().waitFor();
  });

  it('a page that is open says that its database was taken away', async () => {
    const project = await withDraft();
    const page = await openPage();
    await page.goto((await dashboardWithin(project)).url);
    await page.getByText('1 draft to approve').waitFor();
    rmSync(databasePath(findProject(project.root).stateDir));
    await page.getByText('was deleted or replaced. You see its old content').waitFor();
  });

  it('a page that is open lists each key once, with what it does, and takes one also while the focus is still in a dialog that was closed', async () => {
    const page = await openPage();
    await page.goto((await dashboardWithin(await initialised())).url);
    await page.getByText('There are no tasks yet.').waitFor();
    const addTask = page.getByRole('dialog', { name: 'Add a task' });
    const close = async (): Promise<void> => {
      await page.keyboard.press('Escape');
      // Not by its role, which a closed dialog has no more: until it is removed, its fields own their keys.
      await page.locator('dialog').waitFor({ state: 'detached' });
    };
    await page.evaluate(`{
      const closed = document.body.appendChild(document.createElement('dialog'));
      const button = closed.appendChild(document.createElement('button'));
      button.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }));
      closed.remove();
    }`);
    await addTask.waitFor();
    await close();
    for (const keys of ['g', 'k']) await page.keyboard.press(keys);
    await page.getByRole('heading', { name: 'Knowledge' }).waitFor();
    await page.keyboard.press('?');
    const listed = await page.locator('.keys > div').allTextContents();
    expect(listed).toEqual(expect.arrayContaining(['aadd a task', 'tteach later sessions a fact']));
    await close();
    await page.keyboard.press('a');
    await addTask.waitFor();
  });

  it('a page that is open says that the supervisor was killed, with nothing in the queue that tells of it', async () => {
    const { project } = await scripted({ 1: [[shell('touch ~/began; sleep 600')], [done()]] });
    await project.json('add', 'Never ends');
    const run = rawServer(project, {}, ['run', '--json']);
    const page = await openPage();
    await page.goto((await dashboardWithin(project)).url);
    await page.getByRole('heading', { name: 'Running' }).waitFor();
    await page.locator('.card.in_progress').waitFor();
    await expect.poll(() => existsSync(join(project.home, 'began'))).toBe(true);
    run.child.kill('SIGKILL');
    await page.getByText(`Its process is gone; the next ralph run in ${project.root} finishes it.`).waitFor();
    await project.within('run');
    await page.getByText('No supervisor is running.').waitFor();
    expect(await project.json('list')).toMatchObject([{ status: 'done' }]);
  });

  it('a page that is open says what is wrong with a saved file, and takes the file when it is mended', async () => {
    const project = await initialised();
    const page = await openPage();
    await page.goto((await dashboardWithin(project)).url);
    await page.getByText('There are no tasks yet.').waitFor();
    const file = join(project.root, '.ralph/tasks.yaml');
    writeFileSync(file, 'tasks:\n  - titel: Wrong\n');
    await page.getByText('did you mean "title"?').waitFor();
    writeFileSync(file, 'tasks:\n  - title: Right\n');
    await page.getByText('Right').waitFor();
    expect(await page.getByText('did you mean').count()).toBe(0);
  });
});

it('a dashboard is not served twice: a second one says where the first is', async () => {
  const project = await initialised();
  const first = await dashboard(project);
  const { code, stdout } = await project.ralph('ui');
  expect([code, stdout]).toEqual([0, `The dashboard is running already:\n  ${first.url}\n`]);
});

it('the live server tells events from where a page was, and only those', async () => {
  const project = await initialised();
  await project.json('add', 'One');
  const server = await dashboardWithin(project);
  const heard = async (after: string): Promise<string> => {
    const response = await asked(server, '/api/events', { headers: { 'last-event-id': after } });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!/task\.added|lost/.test(text)) text += (await reader?.read())?.value ?? '';
    await reader?.cancel();
    return text;
  };
  const [last] = (await heard('0')).match(/(?<=id: )\d+(?=\ndata)/g)?.slice(-1) ?? [];
  expect(await heard(String(Number(last) - 1))).toMatch(
    /^id: \d+\nevent: here\n.*\n\nid: \d+\ndata: \{[^}]*"task\.added"/,
  );
  expect(await heard('999999')).toContain('event: lost');
});
