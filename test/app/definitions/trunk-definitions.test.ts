import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { applyTrunkDefinitions } from '../../../src/app/definitions/trunk-definitions.ts';
import { readConfig } from '../../../src/project/read-config.ts';
import { list } from '../../../src/queue/tasks/list.ts';
import { openTestQueue } from '../../support/queue.ts';
import { meetingPlace, type TestRepository } from '../../support/slots.ts';

const LAND = { branch: 'main', remote: 'origin' };

async function pushTasks({ git, write, commit }: TestRepository, ...titles: string[]): Promise<string> {
  const tasks = titles.map((title, index) => `  - { id: ${index + 1}, title: ${title} }\n`);
  write('.ralph/tasks.yaml', `tasks:\n${tasks.join('')}`);
  const made = commit('Tasks');
  git('push', '-q', '--force', 'origin', 'main');
  return made;
}

it('definitions come from the trunk alone and move only forward, unless a person asks for those of a rewritten trunk', async () => {
  const { first, second } = await meetingPlace();
  const queue = await openTestQueue();
  const land = { ...(await readConfig(first.root)).land, ...LAND };
  const titles = async () => (await list(queue, {})).map(({ title }) => title);
  const old = await pushTasks(first, 'One');
  expect(await applyTrunkDefinitions(first.place, queue, land)).toBe(old);
  // What a checkout has beside the trunk does not count.
  writeFileSync(join(first.root, '.ralph/tasks.yaml'), 'tasks: [{ id: 1, title: Mine }]\n');
  expect(await applyTrunkDefinitions(first.place, queue, land)).toBe(old);
  second.git('pull', '-q');
  const newer = await pushTasks(second, 'Better');
  expect(await applyTrunkDefinitions(second.place, queue, land)).toBe(newer);
  expect(await titles()).toEqual(['Better']);
  // The first machine is behind, and undoes nothing.
  expect(await applyTrunkDefinitions(first.place, queue, land)).toBe(newer);
  expect(await titles()).toEqual(['Better']);
  second.git('reset', '-q', '--hard', old);
  const rewritten = await pushTasks(second, 'Again');
  expect(await applyTrunkDefinitions(second.place, queue, land)).toBe(newer);
  expect(await applyTrunkDefinitions(second.place, queue, land, { isAsked: true })).toBe(rewritten);
  expect(await titles()).toEqual(['Again']);
});
