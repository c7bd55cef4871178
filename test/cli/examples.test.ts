// The examples of docs/examples, as far as they can be tried without systemd and without a container engine.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { initialised, type Ran } from '../support/ralph.ts';
import { tempDir } from '../support/temp.ts';

const example = (name: string): string => readFileSync(join('docs/examples', name), 'utf8');

/** A folder with a `ralph` that starts the real program. */
function installRalph(): string {
  const folder = tempDir();
  const file = join(folder, 'ralph');
  writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${inject('ralph')}" "$@"\n`);
  chmodSync(file, 0o755);
  return folder;
}

/** A remote whose project has a gate, which nobody has trusted on the machine of the worker. */
async function remoteProject(): Promise<string> {
  const { root, home } = await initialised();
  writeFileSync(join(root, '.ralph/config.yaml'), 'gates: [{ name: test, command: npm test }]\n');
  const person = ['-c', 'user.name=P', '-c', 'user.email=p@example.com'];
  const bare = join(home, 'a b.git');
  for (const args of [
    ['add', '-A'],
    [...person, 'commit', '-qm', 'Gates'],
    ['clone', '-q', '--bare', root, bare],
  ])
    execFileSync('git', args, { cwd: root, stdio: 'ignore' });
  return bare;
}

/** A worker that waits for something that passes by itself would wait for ever. */
async function runWorker(
  program: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<Ran> {
  const worker = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void worker.kill('SIGKILL'));
  const ran: Ran = { code: 0, stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    worker[name].on('data', (chunk: Buffer) => {
      ran[name] += chunk.toString();
      if (ran[name].includes('This worker tries again')) worker.kill('SIGTERM');
    });
  const [code] = await once(worker, 'close');
  return { ...ran, code };
}

/** The worker has cloned the repository into this folder, and needs a person. */
function expectClonedAndUntrusted(ran: Ran, folder: string): void {
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  const [cloned, refused] = ran.stderr.split('\n');
  expect(cloned).toBe(`ralph: Cloned the repository into ${folder}.`);
  expect(refused).toContain('ralph trust');
  expect(existsSync(join(folder, '.ralph/config.yaml'))).toBe(true);
}

it('the unit starts a worker that clones the repository of its environment, drains it, and lets it take its time', async () => {
  const lines = example('ralph-worker.service').split('\n');
  const settings = new Map(
    lines.filter((line) => /^[A-Z]\w+=/.test(line)).map((line) => line.split(/=(.*)/s) as [string, string]),
  );
  expect(lines.filter((line) => line.startsWith('['))).toEqual(['[Unit]', '[Service]', '[Install]']);
  // Only Ralph gets the first signal: its agents must not.
  expect(settings.get('KillMode')).toBe('mixed');
  expect(settings.get('KillSignal')).toBe('SIGTERM');
  expect(settings.get('SuccessExitStatus')).toBe('130');
  const [program = '', ...args] = (settings.get('ExecStart') ?? '').split(' ');
  expect(program).toMatch(/^\/.*\/ralph$/);
  const [home, clone] = [tempDir(), await remoteProject()];
  // systemd expands ${NAME} itself, as one word.
  const words = args.map((word) =>
    word.replace(/^\$\{RALPH_CLONE\}$/, clone).replace(/^\/var\/lib\/ralph(?=\/)/, home),
  );
  expect(words.slice(0, -2)).toEqual(['worker', '--jobs', '2', '--clone']);
  const env = { HOME: home, PATH: process.env['PATH'] };
  expect(settings.get('WorkingDirectory')).toBe('/var/lib/ralph');
  const ran = await runWorker(join(installRalph(), 'ralph'), words, { cwd: home, env });
  expectClonedAndUntrusted(ran, join(home, 'project'));
});

it('the commands in the comment of the unit make the folder of its environment file', () => {
  const text = example('ralph-worker.service');
  const [, file = ''] = /^EnvironmentFile=(.+)$/m.exec(text) ?? [];
  const [, words = ''] = /^# {3}install (.+)$/m.exec(text) ?? [];
  const target = join(tempDir(), file);
  const source = join(tempDir(), 'worker.env');
  writeFileSync(source, 'RALPH_CLONE=x\n');
  // Only root may give a file to another user.
  const args = words.replace(' -o ralph', '').replace('worker.env', source).replace(` ${file}`, ` ${target}`);
  execFileSync('install', args.split(' '));
  expect(statSync(target).mode & 0o777).toBe(0o600);
});

it('systemd accepts the unit, where there is a systemd', (context) => {
  const unit = 'docs/examples/ralph-worker.service';
  if (spawnSync('systemd-analyze', ['--version']).status !== 0)
    return context.skip('there is no systemd here: it did not look at the unit');
  const { stderr } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
  expect(stderr.split('\n').filter((line) => /Unknown|Failed to parse|invalid/i.test(line))).toEqual([]);
});

it('the container installs this package, and its entry starts a worker that clones the repository of its variables', async () => {
  const text = example('Containerfile').replaceAll('\\\n', ' ');
  const instructions = text.split('\n').flatMap((line) => {
    const [, name = '', rest = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    return name === '' ? [] : [{ name, rest }];
  });
  const rest = (name: string): string[] =>
    instructions.filter((one) => one.name === name).map((one) => one.rest);
  expect(instructions[0]?.name).toBe('FROM');
  const { name, engines } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(rest('RUN').join('\n')).toContain(`"${name}@\${RALPH_VERSION}"`);
  const [, major = ''] = /^node:(\d+)/.exec(rest('FROM')[0] ?? '') ?? [];
  expect(Number(major)).toBeGreaterThanOrEqual(Number(/\d+/.exec(engines.node)?.[0]));
  for (const argument of rest('ARG').map((one) => one.split('=')[0]))
    expect(rest('RUN').join('\n')).toContain(`\${${argument}}`);
  expect(rest('USER')).toEqual(['node']);
  const [home, clone] = [tempDir(), await remoteProject()];
  const entry = (rest('ENTRYPOINT')[0] ?? '[]').replaceAll('/home/node', home);
  const [program = '', ...args] = JSON.parse(entry) as string[];
  const variables = Object.fromEntries(rest('ENV').map((one) => one.split('=')));
  expect(variables).toEqual({ RALPH_JOBS: '1' });
  expect(entry).toContain('worker --jobs \\"$RALPH_JOBS\\"');
  const env = {
    ...variables,
    HOME: home,
    RALPH_CLONE: clone,
    PATH: `${installRalph()}:${process.env['PATH']}`,
  };
  expectClonedAndUntrusted(await runWorker(program, args, { cwd: home, env }), join(home, 'project'));
});
