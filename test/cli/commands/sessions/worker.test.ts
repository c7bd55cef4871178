import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { runWithin, WITHOUT_SANDBOX } from '../../../support/ralph.ts';
import { done, scripted, shell } from '../../../support/scripted-agent.ts';

it('a worker clones, works, pushes, waits for more, and drains at the first signal', async () => {
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
  const worker = start({ RALPH_TRUST: value });
  let output = '';
  const waits = new Promise<void>((over) => {
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      if (output.includes('This worker waits for tasks')) over();
    };
    worker.stdout.on('data', read);
    worker.stderr.on('data', read);
  });
  const exited = once(worker, 'exit');
  await Promise.race([waits, exited]);
  expect(output).toContain('This worker waits for tasks');
  expect(execFileSync('git', ['-C', bare, 'show', 'main:1.txt'], { encoding: 'utf8' })).toBe('work\n');
  worker.kill('SIGTERM');
  expect(await exited).toEqual([130, null]);
  expect(existsSync(join(clone, '1.txt'))).toBe(true);
}, 120_000);
