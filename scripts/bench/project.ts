// A repository of its own with Ralph set up in it, and an empty home.
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { findStateDir } from '../../src/host/project.ts';

const run = promisify(execFile);

export type BenchProject = {
  root: string;
  home: string;
  stateDir: string;
  env: Record<string, string>;
  ralph(...args: string[]): Promise<string>;
};

export async function makeProject(
  folder: string,
  {
    config,
    tasks,
    env = {},
  }: { config: object; tasks: number | readonly object[]; env?: Record<string, string> },
): Promise<BenchProject> {
  const [root, home] = [join(folder, 'project'), join(folder, 'home')];
  for (const place of [join(root, '.ralph'), home]) mkdirSync(place, { recursive: true });
  const variables = { HOME: home, RALPH_SANDBOX: 'off', PATH: process.env['PATH'] ?? '', ...env };
  const options = { cwd: root, env: variables, maxBuffer: 2 ** 30 };
  writeFileSync(join(root, '.ralph/config.yaml'), JSON.stringify(config));
  const all =
    typeof tasks === 'number'
      ? Array.from({ length: tasks }, (_, index) => ({ title: `Build part ${index + 1}` }))
      : tasks;
  writeFileSync(join(root, '.ralph/tasks.yaml'), JSON.stringify({ tasks: all }));
  writeFileSync(join(root, 'README.md'), 'A project.\n');
  await run('git', ['init', '-q'], options);
  await run('git', ['add', 'README.md'], options);
  await run('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '-qm', 'Begin'], options);
  const ralph = async (...args: string[]): Promise<string> =>
    (await run(process.execPath, [resolve('dist/ralph.js'), ...args], options)).stdout;
  await ralph('trust', '--yes');
  return { root, home, stateDir: findStateDir(root), env: variables, ralph };
}
