import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { closeQueue } from '../../src/queue/queue.ts';
import { fill } from './fill.ts';
import { type Bench, compare } from './measure.ts';

/** Claude Code starts it at every turn. Nothing changes between the starts here, as for most turns. */
export const statusLine: Bench = async (folder) => {
  const project = join(folder, 'project');
  const state = join(project, '.ralph', 'state');
  mkdirSync(state, { recursive: true });
  await closeQueue(await fill(state, 'ralph', 10_000, { depends_on: () => [] }));
  renameSync(join(state, 'ralph-10000.db'), join(state, 'ralph.db'));
  const input = JSON.stringify({ cwd: '/', workspace: { project_dir: project } });
  const node = (...args: string[]) =>
    spawnSync(process.execPath, args, { cwd: folder, env: { HOME: folder }, input, encoding: 'utf8' }).stdout;
  const ralph = resolve('dist/ralph.js');
  if (!node(ralph, 'statusline').includes('10000')) throw new Error('ralph statusline shows nothing.');
  const { measured, against } = await compare(
    25,
    () => void node(ralph, 'statusline'),
    () => void node('-e', '0'),
  );
  return [
    {
      name: '`ralph statusline` on 10,000 tasks against `node -e 0`',
      ratio: measured / against,
      atMost: 1.4,
      detail: `${measured.toFixed(0)} ms against ${against.toFixed(0)} ms`,
    },
  ];
};
