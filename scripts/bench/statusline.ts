import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { closeQueue, openQueue } from '../../src/queue/queue.ts';
import { addTasks } from '../../src/queue/tasks/add.ts';
import { fill } from './fill.ts';
import { type Bench, type BenchRow, compare } from './measure.ts';

/** Claude Code starts it at every turn. For most turns nothing has changed since the last one; while a run is at work, something has. */
export const statusLine: Bench = async (folder) => {
  const project = join(folder, 'project');
  const state = join(project, '.ralph', 'state');
  mkdirSync(state, { recursive: true });
  await closeQueue(await fill(state, 'ralph', 10_000, { depends_on: () => [] }));
  renameSync(join(state, 'ralph-10000.db'), join(state, 'ralph.db'));
  const queue = await openQueue(join(state, 'ralph.db'));
  const input = JSON.stringify({ cwd: '/', workspace: { project_dir: project } });
  const node = (...args: string[]) =>
    spawnSync(process.execPath, args, { cwd: folder, env: { HOME: folder }, input, encoding: 'utf8' }).stdout;
  const ralph = resolve('dist/ralph.js');
  const show = (count: number): void => {
    if (!node(ralph, 'statusline').includes(`/${count} done`)) throw new Error('ralph statusline is wrong.');
  };
  show(10_000);
  const stored = await compare(
    ROUNDS,
    () => show(10_000),
    () => void node('-e', '0'),
  );
  let count = 10_000;
  const changed = await compare(
    ROUNDS,
    () => show(count),
    () => void node('-e', '0'),
    async () => {
      await addTasks(queue, [{ title: 'One more' }]);
      count += 1;
    },
  );
  await closeQueue(queue);
  return [
    row('on 10,000 tasks', stored, 1.4),
    // Ralph has to load SQLite and to count the tasks.
    row('after a change of 10,000 tasks', changed, 4),
  ];
};

const ROUNDS = 25;

const row = (name: string, times: Awaited<ReturnType<typeof compare>>, atMost: number): BenchRow => ({
  name: `\`ralph statusline\` ${name} against \`node -e 0\``,
  ratio: times.measured / times.against,
  atMost,
  detail: `${times.measured.toFixed(0)} ms against ${times.against.toFixed(0)} ms`,
});
