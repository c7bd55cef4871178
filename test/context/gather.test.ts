import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gather } from '../../src/context/gather.ts';
import { formatDefinitions } from '../../src/project/definitions/format-definitions.ts';
import { readConfig } from '../../src/project/read-config.ts';
import { exportDefinitions } from '../../src/queue/definitions/export-definitions.ts';
import { RECIPES } from '../../src/recipes/index.ts';
import { render } from '../../src/recipes/render.ts';
import { largeProject } from '../support/large-project.ts';
import { openTestQueue } from '../support/queue.ts';
import { tempDir } from '../support/temp.ts';

it('a prompt in a project of 500 tasks has at most 5% of the project, and nothing of another feature', async () => {
  const root = tempDir();
  mkdirSync(join(root, 'docs'));
  const queue = await openTestQueue();
  await largeProject(queue, {
    tasks: 500,
    features: 20,
    document: (name) =>
      writeFileSync(
        join(root, 'docs', `${name}.md`),
        `# ${name}\n\nAll about ${name}. ${'It has rules. '.repeat(60)}\n`,
      ),
  });
  const source = {
    store: queue.store,
    root,
    title: 'large',
    config: await readConfig(root),
    changesOf: async () => null,
    changesIn: async () => null,
    embedder: null,
  };
  const { system, prompt } = render(RECIPES.task_execution, await gather(source, { task_id: 250 }));
  const dump = [...formatDefinitions(await exportDefinitions(queue)).values()].join('').length + 20 * 900;
  expect((system + prompt).length / dump).toBeLessThan(0.05);
  const others = new Set([...prompt.matchAll(/feature-(\d+)/g)].map(([name]) => name));
  expect([...others]).toEqual(['feature-9']);
});

it('a prompt for a task that does not exist is refused', async () => {
  const queue = await openTestQueue();
  const root = tempDir();
  const source = {
    store: queue.store,
    root,
    title: 'x',
    config: await readConfig(root),
    changesOf: async () => null,
    changesIn: async () => null,
    embedder: null,
  };
  await expect(gather(source, { task_id: 9 })).rejects.toThrow('There is no task 9');
});
