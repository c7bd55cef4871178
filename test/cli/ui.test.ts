// `ralph ui` as somebody starts it: where it is, what it opens, and how it ends.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { acted, dashboard } from '../support/dashboard.ts';
import { rawServer } from '../support/mcp.ts';
import { initialised } from '../support/ralph.ts';

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
