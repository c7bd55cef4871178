import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { closeQueue } from '../../src/queue/queue.ts';
import { list } from '../../src/queue/tasks/list.ts';
import { fill } from './fill.ts';
import { type Bench, compare } from './measure.ts';

const run = promisify(execFile);

export const listOfOneFeature: Bench = async (folder) => {
  // Fifty tasks a feature at every size: what is listed is the same, what surrounds it is not.
  const shape = {
    depends_on: (id: number) => (id % 50 === 1 ? [] : [id - 1]),
    feature: (id: number) => `f${Math.floor((id - 1) / 50)}`,
  };
  const [large, small] = [
    await fill(folder, 'list', 100_000, shape),
    await fill(folder, 'list', 1_000, shape),
  ];
  const { measured, against } = await compare(
    100,
    async () => void (await list(large, { feature: 'f7' })),
    async () => void (await list(small, { feature: 'f7' })),
  );
  await Promise.all([closeQueue(large), closeQueue(small)]);
  return [
    {
      name: 'list of one feature at 100,000 tasks against 1,000',
      ratio: measured / against,
      atMost: 2,
      detail: `${measured.toFixed(2)} ms against ${against.toFixed(2)} ms`,
    },
  ];
};

export const listCommand: Bench = async (folder) => {
  const project = join(folder, 'project');
  const state = join(project, '.ralph', 'state');
  mkdirSync(state, { recursive: true });
  const queue = await fill(state, 'ralph', 10_000, { depends_on: (id) => (id % 3 === 0 ? [id - 1] : []) });
  await closeQueue(queue);
  await run('mv', [join(state, 'ralph-10000.db'), join(state, 'ralph.db')]);
  const node = (...args: string[]) =>
    run(process.execPath, args, { cwd: project, env: { HOME: folder }, maxBuffer: 2 ** 30 });
  const { measured, against } = await compare(
    25,
    async () => void (await node(resolve('dist/ralph.js'), 'list')),
    async () => void (await node('-e', '0')),
  );
  return [
    {
      name: '`ralph list` on 10,000 tasks against `node -e 0`',
      ratio: measured / against,
      atMost: 4,
      detail: `${measured.toFixed(0)} ms against ${against.toFixed(0)} ms`,
    },
  ];
};
