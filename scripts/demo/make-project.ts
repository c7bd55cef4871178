// The project of the demonstration: real files, real git, and an agent whose words are written down.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { bundle } from '../bundle.ts';
import type { Step } from './script.ts';
import { FILES, MEETING } from './story.ts';

export type Attempts = Readonly<Record<number, readonly (readonly Step[])[]>>;

export type DemoProject = {
  folder: string;
  root: string;
  /** What the agent does, and the prompts it got. */
  script: string;
  env: { PATH: string | undefined; HOME: string };
};

/** Not yet trusted: that is the first thing to be seen. */
export async function makeProject(
  attempts: Attempts,
  agentName = 'scripted',
  files: Readonly<Record<string, string>> = FILES,
  /** More lines of its configuration. */
  config = '',
): Promise<DemoProject> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-demo-')));
  const [root, script, home] = [join(folder, 'tidy'), join(folder, 'script'), join(folder, 'home')];
  for (const place of [root, script, home]) mkdirSync(place, { recursive: true });
  await build(bundle({ agent: 'scripts/demo/agent.ts' }, join(folder, 'agent')));
  writeFileSync(join(folder, 'agent/package.json'), '{"type":"module"}');
  symlinkSync(resolve('node_modules'), join(folder, 'agent/node_modules'));
  for (const [path, text] of Object.entries(files)) put(join(root, path), text);
  for (const [id, steps] of Object.entries(attempts))
    put(join(script, `${id}.json`), JSON.stringify(steps).replaceAll(MEETING, script));
  const agent = JSON.stringify([process.execPath, join(folder, 'agent/agent.js'), script]);
  put(
    join(root, '.ralph/config.yaml'),
    `agent: ${agentName}\nagents: { scripted: { command: ${agent} } }\ngates: [{ name: test, command: npm test }]\n` +
      // Where the agent finds what to say, and leaves the prompts that it got.
      `sandbox: { write: [${JSON.stringify(script)}] }\n${config}`,
  );
  const env = { PATH: process.env['PATH'], HOME: home };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, env, stdio: 'inherit' });
  git('init', '-q');
  git('add', '.');
  git('-c', 'user.name=Demo', '-c', 'user.email=demo@localhost', 'commit', '-qm', 'Begin');
  return { folder, root, script, env };
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
