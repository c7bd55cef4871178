import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { migrateDatabase } from '../../src/queue/database.ts';
import { addTasks } from '../../src/queue/tasks/add.ts';
import { appendEvents } from '../../src/store/events.ts';
import { writeMetadata } from '../../src/store/metadata.ts';
import { openStore } from '../../src/store/open.ts';
import { acted, asked, dashboard } from '../support/dashboard.ts';
import { postgresClient, testDatabase } from '../support/postgres.ts';
import { openQueueAt } from '../support/queue.ts';
import { initialised, type TestProject } from '../support/ralph.ts';

type Role = 'ralph_owner' | 'ralph_worker' | 'ralph_reader';

/** The documented roles and their schema. Returns the address of a role. */
async function createRoles(): Promise<(role: Role) => string> {
  const url = new URL(await testDatabase());
  const client = await postgresClient(url.pathname.slice(1));
  const [, roles = ''] = /```sql\n([\s\S]*?)```/.exec(readFileSync('docs/database.md', 'utf8')) ?? [];
  await client.query(roles);
  onTestFinished(async () => {
    await client.query(
      'drop schema shop cascade; drop owned by ralph_owner, ralph_worker, ralph_reader; drop role ralph_owner, ralph_worker, ralph_reader',
    );
  });
  return (role) => {
    const place = new URL(url);
    place.username = role;
    place.searchParams.set('schema', 'shop');
    return place.href;
  };
}

it('the documented roles can do their part and no more', async () => {
  const as = await createRoles();
  await expect(migrateDatabase(as('ralph_worker'))).rejects.toThrow(/ralph_worker may not do this/);
  await migrateDatabase(as('ralph_owner'));
  const queue = await openQueueAt(as('ralph_worker'));
  await addTasks(queue, [{ title: 'One' }]);
  await queue.store.write((db) => appendEvents(db, [{ at: 1, kind: 'project.saved' }]));
  const reader = await openStore(as('ralph_reader'), { via: null });
  onTestFinished(() => reader.close());
  expect(await reader.read((db) => db.selectFrom('tasks').select('title').execute())).toEqual([
    { title: 'One' },
  ]);
  await expect(reader.write((db) => writeMetadata(db, 'a', 'b'))).rejects.toThrow(
    /ralph_reader may not do this/,
  );
});

/** The commands of step 1 of docs/fleet.md, with addresses of the test's own server. */
async function followSteps(project: TestProject, as: (role: Role) => string): Promise<void> {
  const text = readFileSync('docs/fleet.md', 'utf8');
  const step = text.slice(text.indexOf('1. **The database.**'), text.indexOf('2. **The remote.**'));
  for (const [, action = '', role] of step.matchAll(/ralph database (\w+)(?: 'postgres:\/\/(\w+)@)?/g))
    await project.json('database', action, ...(role === undefined ? [] : [as(role as Role)]));
}

it('after the documented steps the machine that moved its queue works on as a worker', async () => {
  const [project, as] = [await initialised(), await createRoles()];
  await project.json('add', 'One');
  await followSteps(project, as);
  await project.json('add', 'Two');
  expect(await project.json('list')).toHaveLength(2);
  const { place } = (await project.json('database')) as { place: string };
  expect(new URL(place).username).toBe('ralph_worker');
});

const commit = (root: string, message: string): void => {
  const person = ['-c', 'user.name=P', '-c', 'user.email=p@example.com'];
  execFileSync('git', ['add', '-A'], { cwd: root });
  execFileSync('git', [...person, 'commit', '-qm', message], { cwd: root });
};

it('a reader lists tasks and sees the dashboard, also where the branch has newer definitions, and changes nothing', async () => {
  const [project, as] = [await initialised(), await createRoles()];
  const tasks = join(project.root, '.ralph/tasks.yaml');
  writeFileSync(tasks, 'tasks: [{ id: 1, title: One }]\n');
  commit(project.root, 'One task');
  await followSteps(project, as);
  const before = await project.json('list');
  expect(before).toMatchObject([{ title: 'One' }]);
  writeFileSync(tasks, 'tasks: [{ id: 1, title: One }, { id: 2, title: Two }]\n');
  commit(project.root, 'Two tasks');
  await project.json('database', 'use', as('ralph_reader'));
  expect(await project.json('list')).toEqual(before);
  for (const command of [['status'], ['show', '1'], ['why', '1'], ['log'], ['fleet'], ['database']])
    expect(await project.within(...command)).toMatchObject({ code: 0, stderr: '' });
  const refused = await project.within('add', 'Three');
  expect(refused.stderr).toMatch(/ralph_reader may not do this .* rights of a worker/);

  const place = await dashboard(project);
  const view = async (path: string): Promise<unknown> => (await asked(place, path)).json();
  expect(await view('/api/tasks')).toMatchObject({ tasks: [{ title: 'One' }] });
  expect(await view('/api/project')).toMatchObject({ trouble: null });
  expect(await view('/api/machines')).toEqual({ machines: [], train: [] });
  const added = await acted(place, 'add', { title: 'Three' });
  expect(await added.text()).toContain('ralph_reader may not do this');
  await place.stop();
});
