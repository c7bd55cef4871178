import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { beginHold } from '../../src/host/definitions/accepted.ts';
import { saveProposal } from '../../src/host/definitions/proposals.ts';
import { findProject } from '../../src/host/project.ts';
import type { NowView } from '../../src/ui/views/now.ts';
import { CODE, dashboardWithin, openPage } from '../support/dashboard.ts';
import { initialised, type TestProject } from '../support/ralph.ts';

const TASKS = 'tasks:\n  - { id: 1, title: One }\n';
const PLANTED = '  - { id: 7, title: "<img src=x onerror=alert(1)> Planted" }\n';
const tasksFile = ({ root }: TestProject): string => join(root, '.ralph/tasks.yaml');

/** A session proposes a change, and another was made in the checkout while agents were at work. */
async function withProposals(): Promise<TestProject> {
  const project = await initialised();
  writeFileSync(tasksFile(project), TASKS);
  await project.json('list');
  const place = findProject(project.root);
  await beginHold(place);
  writeFileSync(tasksFile(project), `${TASKS}${PLANTED}`);
  const path = '.ralph/recipes/task_execution.yaml';
  const changes = [{ path, before: null, after: 'remove: [learnings]\n' }];
  await saveProposal(place.stateDir, { session_id: 'abcd1234-5', task_id: 1, at: 0, changes });
  return project;
}

it('the page shows a change of definitions as text, and takes it over with the code of the terminal, asked once', async () => {
  const project = await withProposals();
  const page = await openPage();
  await page.goto((await dashboardWithin(project)).url);
  const cards = page.locator('.card.definitions');
  await cards.nth(1).waitFor();
  expect(await cards.nth(0).textContent()).toContain(
    '+  - { id: 7, title: "<img src=x onerror=alert(1)> Planted" }',
  );
  expect(await page.locator('.card.definitions img').count()).toBe(0);
  const decide = async (button: string, code: string | null): Promise<void> => {
    await cards.first().getByRole('button', { name: button }).click();
    const dialog = page.getByRole('dialog');
    if (code !== null) await dialog.getByLabel('Code in the terminal').fill(code);
    await dialog.getByRole('button', { name: button }).click();
  };
  await decide('Drop it', 'WRONG234');
  await page.getByText('This needs the code that ralph ui shows in its terminal').waitFor();
  expect(readFileSync(tasksFile(project), 'utf8')).toContain('Planted');
  await decide('Drop it', CODE.toLowerCase());
  await page.getByText('Dropped the change of .ralph/tasks.yaml.').waitFor();
  expect(readFileSync(tasksFile(project), 'utf8')).toBe(TASKS);
  await page.locator('.card.definitions').getByText('#1 proposes').waitFor();
  await expect.poll(() => cards.count()).toBe(1);
  await decide('Take it over', null);
  await page.getByText('Took over .ralph/recipes/task_execution.yaml.').waitFor();
  await expect.poll(() => cards.count()).toBe(0);
});

it('a script with the token alone decides about no definition, and nobody about a change that they have not seen', async () => {
  const project = await withProposals();
  const { origin, token } = await dashboardWithin(project);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const view = (await (await fetch(`${origin}/api/now`, { headers })).json()) as NowView;
  const { name, seen } = view.definitions[0] ?? { name: '', seen: '' };
  const send = (more: Record<string, string>, mark: string = seen) =>
    fetch(`${origin}/api/do/definitions`, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify({ name, seen: mark, decision: 'reject' }),
    });
  expect((await send({})).status).toBe(403);
  expect((await send({ 'ralph-code': CODE }, 'other')).status).toBe(409);
  writeFileSync(tasksFile(project), `${TASKS}${PLANTED}# more\n`);
  expect((await send({ 'ralph-code': CODE })).status).toBe(409);
  expect(readFileSync(tasksFile(project), 'utf8')).toContain('# more');
});
