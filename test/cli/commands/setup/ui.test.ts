// `ralph ui` as somebody starts it: where it is, what it opens, and how it ends.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { list } from '../../../../src/queue/tasks/list.ts';
import { acted, asked, type Dashboard, dashboard } from '../../../support/dashboard.ts';
import { queueOf, rawServer } from '../../../support/mcp.ts';
import { workedProject } from '../../../support/project-with-sessions.ts';
import { initialised, type TestProject } from '../../../support/ralph.ts';

/** A browser's opener in front of the PATH, that writes down what it was given. */
function withOpener(project: TestProject): { env: Record<string, string>; opened(): string[] } {
  const [folder, file] = [join(project.home, 'bin'), join(project.home, 'opened')];
  mkdirSync(folder);
  writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\necho "$@" >> '${file}'\n`, { mode: 0o755 });
  return {
    env: { HOME: project.home, PATH: `${folder}${delimiter}${process.env['PATH']}`, TERM: 'xterm' },
    opened: () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []),
  };
}

/** On a terminal that `script` makes. */
function onTerminal(
  { root }: TestProject,
  env: Record<string, string>,
  ...args: string[]
): { said(): string; over: Promise<void> } {
  const command = [process.execPath, inject('ralph'), 'ui', ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: root,
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let said = '';
  child.stdout.on('data', (text) => {
    said += text;
  });
  const over = new Promise<void>((ended) => child.once('exit', () => ended()));
  onTestFinished(async () => {
    child.kill();
    await over;
  });
  return { said: () => said, over };
}

const KEY = /http:\/\/127\.0\.0\.1:\d+\/#([0-9a-f]{64})/;

it('ralph ui on a terminal opens the browser with a one-time ticket instead of the token', async () => {
  const project = await initialised();
  const { env, opened } = withOpener(project);
  const { said } = onTerminal(project, env);
  await expect.poll(() => [opened().length, KEY.test(said())]).toEqual([1, true]);
  const [address = '', token = ''] = KEY.exec(said()) ?? [];
  const { origin } = new URL(address);
  const ticketIn = (url: string): string =>
    /^http:\/\/127\.0\.0\.1:\d+\/#(once-[0-9a-f]{32})$/.exec(url)?.[1] ?? '';
  const trade = (ticket: string, headers: Record<string, string> = {}): Promise<Response> =>
    asked({ origin, token: ticket }, '/api/enter', { method: 'POST', headers });
  const ticket = ticketIn(opened()[0] ?? '');
  expect((await trade(ticket, { 'sec-fetch-site': 'same-site' })).status).toBe(403);
  expect((await trade('once-00000000000000000000000000000000')).status).toBe(401);
  expect((await asked({ origin, token: ticket }, '/api/project')).status).toBe(401);
  expect(await (await trade(ticket)).json()).toEqual({ token });
  expect((await trade(ticket)).status).toBe(401);

  // One that finds it served already opens it, too.
  const second = onTerminal(project, env);
  await second.over;
  expect(second.said()).toContain('The dashboard is running already');
  await expect.poll(() => opened().length).toBe(2);
  expect(await (await trade(ticketIn(opened()[1] ?? ''))).json()).toEqual({ token });

  const third = onTerminal(project, env, '--no-open');
  await third.over;
  expect(opened()).toHaveLength(2);
});

it('ralph ui without a terminal opens no browser', async () => {
  const project = await initialised();
  const { env, opened } = withOpener(project);
  const server = rawServer(project, env, ['ui', '--json']);
  await new Promise((printed) => server.child.stdout.once('data', printed));
  server.child.kill();
  expect(await server.exited).toEqual({ code: 0, signal: null });
  expect(opened()).toEqual([]);
});

it('a read-only dashboard has another address and another token', async () => {
  const project = await initialised();
  const writable = await dashboard(project);
  const readOnly = await dashboard(project, '--read-only');
  expect(readOnly.origin).not.toBe(writable.origin);
  expect((await acted({ ...writable, token: readOnly.token }, 'add', { title: 'One' })).status).toBe(401);
  await readOnly.stop();
  await writable.stop();
  expect((await dashboard(project)).url).toBe(writable.url);
  expect((await dashboard(project, '--read-only')).url).toBe(readOnly.url);
});

it('ralph ui serves and ends properly if it cannot save its address', async () => {
  const project = await initialised();
  const state = join(project.home, '.local/state/ralph');
  mkdirSync(state, { recursive: true });
  writeFileSync(join(state, 'dashboard'), 'not a folder');
  const server = rawServer(project, {}, ['ui', '--json', '--no-open']);
  await new Promise((printed) => server.child.stdout.once('data', printed));
  server.child.kill('SIGINT');
  expect(await server.exited).toEqual({ code: 0, signal: null });
  expect(server.output().stderr).toMatch(/^ralph: The next ralph ui will have another address: [^\n]+\n$/);
});

const LEARNING = { body: 'A fact', category: 'discovery', reason: null, feature: null };
const WRONG = 'tasks:\n  - titel: Wrong\n';

const troubleAt = async (place: Dashboard): Promise<unknown> =>
  ((await (await asked(place, '/api/project')).json()) as { trouble: unknown }).trouble;

it('the dashboard refuses changes while a definition is wrong, but not for a wrong mirror, and always stops a run', async () => {
  const project = await workedProject('One');
  writeFileSync(join(project.root, '.ralph/config.yaml'), 'mirror: implementation.json\n');
  await project.json('list');
  const mirror = join(project.root, 'implementation.json');
  writeFileSync(mirror, readFileSync(mirror, 'utf8').slice(0, -20));
  const place = await dashboard(project);
  expect(await troubleAt(place)).toMatch(/^The mirror was left as it is/);
  expect((await acted(place, 'learn', LEARNING)).status).toBe(200);
  writeFileSync(join(project.root, '.ralph/tasks.yaml'), WRONG);
  const refused = await acted(place, 'learn', LEARNING);
  expect([refused.status, await refused.json()]).toEqual([
    409,
    { error: expect.stringContaining('did you mean "title"?') },
  ]);
  expect((await acted(place, 'stop', { run: project.run_id, when: 'after' })).status).toBe(200);
});

it('a read-only dashboard reports a wrong file, and applies none', async () => {
  const project = await initialised();
  writeFileSync(join(project.root, '.ralph/config.yaml'), 'mirror: implementation.json\n');
  await project.json('add', 'One');
  const [place, queue] = [await dashboard(project, '--read-only'), await queueOf(project)];
  const tasks = join(project.root, '.ralph/tasks.yaml');
  writeFileSync(tasks, WRONG);
  expect(await troubleAt(place)).toContain('did you mean "title"?');
  writeFileSync(tasks, 'tasks:\n  - title: Right\n');
  expect(await troubleAt(place)).toBe(null);
  expect((await acted(place, 'add', { title: 'Two' })).status).toBe(403);
  const mirror = join(project.root, 'implementation.json');
  writeFileSync(mirror, readFileSync(mirror, 'utf8').replace('"One"', '"Uno"'));
  await place.stop();
  expect((await list(queue, {})).map(({ title }) => title)).toEqual(['One']);
});
