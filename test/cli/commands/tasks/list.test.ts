import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { initialised, runWithin, type TestProject } from '../../../support/ralph.ts';

async function described(): Promise<TestProject> {
  const project = await initialised();
  writeFileSync(
    join(project.root, '.ralph/features.yaml'),
    'features:\n  - { name: authentication, acronym: AUTH }\n  - { name: shop, status: planned }\n',
  );
  writeFileSync(
    join(project.root, '.ralph/disciplines.yaml'),
    'disciplines:\n  - { name: backend, acronym: BE, icon: Server, color: "#2563eb" }\n  - { name: odd, icon: NoSuchIcon, color: blueish }\n',
  );
  writeFileSync(
    join(project.root, '.ralph/tasks.yaml'),
    `tasks:
  - { id: 1, title: Log in, feature: authentication, discipline: backend, tags: [ui, forms] }
  - { id: 2, title: Log out, feature: authentication, discipline: odd, tags: [forms-2], estimated_turns: 12, model: opus, enriched_at: 2026-02-05T18:30:00Z }
  - { id: 3, title: Sell, feature: shop }
`,
  );
  return project;
}

it('ralph list shows acronym, icon and colour, and its feature can be asked for by the acronym', async () => {
  const project = await described();
  expect((await project.within('list')).stdout).toBe(
    `#  STATUS     PRIORITY  FEATURE  DISCIPLINE  TITLE
1  ● ready    medium    AUTH     🔧 BE       Log in
2  ● ready    medium    AUTH     odd         Log out
3  ○ waiting  medium    shop     -           Sell

3 tasks: 2 ready, 1 waiting
`,
  );
  const env = { HOME: project.home, PATH: process.env['PATH'] };
  const colored = await runWithin(['list', '--feature', 'auth'], { cwd: project.root, env, color: true });
  expect(colored.stdout).toMatch(/\x1b\[34m🔧 BE +\x1b\[39m/);
  expect(colored.stdout).not.toContain('Sell');
});

it('ralph list --tag shows only tasks with exactly this tag', async () => {
  const project = await described();
  expect(await project.json('list', '--tag', 'forms')).toMatchObject([{ id: 1 }]);
  expect((await project.within('list', '--tag', 'form')).stdout).toBe('No such tasks.\n');
  const { id } = (await project.json('add', 'Sign up', '--tags', 'ui, forms')) as { id: number };
  expect(await project.json('list', '--tag', 'forms')).toMatchObject([{ id: 1 }, { id }]);
  expect(await project.json('edit', String(id), '--tags', '')).toMatchObject({ tags: [] });
});

it('ralph show prints estimated turns, model and when the task was enriched, and ralph why names the planned feature', async () => {
  const project = await described();
  const { stdout } = await project.within('show', '2');
  expect(stdout).toContain('\nfeature     authentication (AUTH)\n');
  expect(stdout).toContain('\nturns       12, estimated\n');
  expect(stdout).toContain('\nmodel       opus\n');
  expect(stdout).toMatch(/\nenriched {4}2026-02-05/);
  expect((await project.within('why', '3')).stdout).toBe(
    `#3 Sell
  waits because its feature shop is planned; to start it: ralph feature edit "shop" --status active
  gets the agent claude with haiku, as the project says.
`,
  );
  expect((await project.within('status')).stdout).toContain(
    'on hold      tasks of shop, which is planned   ralph feature edit "shop" --status active',
  );
  await project.json('skip', '1', '2');
  expect((await project.within('status')).stdout).toContain(
    '\nnext         nothing is ready: the feature shop is planned\n',
  );
});
