// `ralph ui` as somebody starts it: where it is, what it opens, and how it ends.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { list } from '../../src/queue/list.ts';
import { acted, asked, type Dashboard, dashboard } from '../support/dashboard.ts';
import { queueOf, rawServer } from '../support/mcp.ts';
import { initialised } from '../support/ralph.ts';
import { workedProject } from '../support/worked.ts';

it('has another address, and another key, where it is read-only', async () => {
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

it('serves, and ends as it should, where it cannot keep its address', async () => {
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

it('refuses for a file that is wrong, but not for a mirror that is, and never to stop', async () => {
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

it('that is read-only says what is wrong with a file, and takes none in', async () => {
  const project = await initialised();
  writeFileSync(join(project.root, '.ralph/config.yaml'), 'mirror: implementation.json\n');
  await project.json('add', 'One');
  const [place, queue] = [await dashboard(project, '--read-only'), await queueOf(project)];
  const tasks = join(project.root, '.ralph/tasks.yaml');
  writeFileSync(tasks, WRONG);
  expect(await troubleAt(place)).toContain('did you mean "title"?');
  writeFileSync(tasks, 'tasks:\n  - title: Right\n');
  expect(await troubleAt(place)).toBe(null);
  const mirror = join(project.root, 'implementation.json');
  writeFileSync(mirror, readFileSync(mirror, 'utf8').replace('"One"', '"Uno"'));
  await place.stop();
  expect((await list(queue, {})).map(({ title }) => title)).toEqual(['One']);
});
