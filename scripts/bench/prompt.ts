import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gather } from '../../src/context/gather.ts';
import { readConfig } from '../../src/project/read-config.ts';
import { closeQueue, openQueue } from '../../src/queue/queue.ts';
import { RECIPES } from '../../src/recipes/index.ts';
import { render } from '../../src/recipes/render.ts';
import { largeProject } from '../../test/support/large-project.ts';
import { type Bench, compare } from './measure.ts';

export const prompts: Bench = async (folder) => {
  mkdirSync(join(folder, 'docs'));
  const document = (name: string) =>
    writeFileSync(join(folder, 'docs', `${name}.md`), `# ${name}\n\n${'It has rules. '.repeat(200)}\n`);
  const build = async (tasks: number, features: number) => {
    const queue = await openQueue(join(folder, `prompt-${tasks}.db`));
    await largeProject(queue, { tasks, features, document });
    const source = {
      store: queue.store,
      root: folder,
      title: 'x',
      config: await readConfig(folder),
      changesOf: async () => null,
      changesIn: async () => null,
      embedder: null,
    };
    return {
      queue,
      write: async () => void render(RECIPES.task_execution, await gather(source, { task_id: 5 })),
    };
  };
  // Ten tasks a feature everywhere: the neighbourhood of task 5 is the same.
  const [large, small, middle] = [await build(10_000, 1_000), await build(10, 1), await build(500, 20)];
  const size = await compare(200, large.write, small.write);
  const files = await compare(200, middle.write, () => void readFileSync(join(folder, 'docs/feature-0.md')));
  for (const { queue } of [large, small, middle]) await closeQueue(queue);
  return [
    {
      name: 'prompt for the same neighbourhood at 10,000 tasks against 10',
      ratio: size.measured / size.against,
      atMost: 1.5,
      detail: `${size.measured.toFixed(2)} ms against ${size.against.toFixed(2)} ms`,
    },
    {
      name: 'prompt at 500 tasks and 20 features, against 5 ms',
      ratio: files.measured / 5,
      atMost: 1,
      detail: `${files.measured.toFixed(2)} ms, ${(files.measured / files.against).toFixed(0)} times a plain read of its file`,
    },
  ];
};
