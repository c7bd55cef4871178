import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { runWithin, WITHOUT_SANDBOX } from '../../../support/ralph.ts';
import { done, scripted, shell } from '../../../support/scripted-agent.ts';

it('a worker clones, works, pushes, waits for more, and ends at the first signal, also while it waits for the remote', async () => {
  const { project, config, git } = await scripted({ 1: [[shell('echo work > 1.txt'), done()]] });
  const { root, home } = project;
  git('branch', '-M', 'main');
  await config('gates: [{ name: test, command: "true" }]\nland: { branch: main, remote: origin }\n');
  writeFileSync(join(root, '.ralph/tasks.yaml'), 'tasks: [{ id: 1, title: One }]\n');
  git('add', '-A');
  git('-c', 'user.name=P', '-c', 'user.email=p@example.com', 'commit', '-qm', 'Tasks');
  const bare = join(home, 'origin.git');
  execFileSync('git', ['clone', '-q', '--bare', root, bare], { stdio: 'ignore' });
  const clone = join(home, 'clones', 'one');
  const env = { HOME: home, PATH: process.env['PATH'], ...WITHOUT_SANDBOX };
  const start = (trust: Record<string, string>) => {
    const args = [inject('ralph'), 'worker', '--clone', bare, clone];
    const child = spawn(process.execPath, args, { cwd: home, env: { ...env, ...trust } });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };
  // Nobody has trusted it here, and a person has to: that does not pass by itself.
  const untrusted = start({});
  expect(await once(untrusted, 'exit')).toEqual([1, null]);
  const printed = await runWithin(['trust', '--print', '--json'], { cwd: clone, env });
  const { value } = JSON.parse(printed.stdout);
  /** Starts a worker, and tells it to end as soon as it has printed this. */
  const startAndDrain = async (printed: string): Promise<void> => {
    const worker = start({ RALPH_TRUST: value });
    let output = '';
    for (const stream of [worker.stdout, worker.stderr])
      stream.on('data', (chunk: Buffer) => {
        const wasPrinted = output.includes(printed);
        output += chunk.toString();
        if (!wasPrinted && output.includes(printed)) worker.kill('SIGTERM');
      });
    expect(await once(worker, 'exit')).toEqual([130, null]);
    expect(output).toContain(printed);
  };
  await startAndDrain('This worker waits for tasks');
  expect(execFileSync('git', ['-C', bare, 'show', 'main:1.txt'], { encoding: 'utf8' })).toBe('work\n');
  expect(existsSync(join(clone, '1.txt'))).toBe(true);
  renameSync(bare, `${bare}.away`);
  await startAndDrain('Ralph tries again until it answers');
});
