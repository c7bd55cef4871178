// The examples of docs/examples, as far as they can be tried without systemd and without a container engine.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempDir } from '../support/temp.ts';

const example = (name: string): string => readFileSync(join('docs/examples', name), 'utf8');

/** A `ralph` that prints its arguments, one a line. */
function shim(folder: string): string {
  const file = join(folder, 'ralph');
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, '#!/bin/sh\nprintf "%s\\n" "$@"\n');
  chmodSync(file, 0o755);
  return file;
}

it('the unit starts a worker with the clone of its environment, drains it, and lets it take its time', () => {
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
  // systemd expands ${NAME} itself, as one word.
  const expanded = args.map((word) => word.replace(/^\$\{RALPH_CLONE\}$/, 'git@example.com:a b.git'));
  expect(execFileSync(shim(tempDir()), expanded, { encoding: 'utf8' }).trim().split('\n')).toEqual([
    'worker',
    '--jobs',
    '2',
    '--clone',
    'git@example.com:a b.git',
    '/var/lib/ralph/project',
  ]);
});

it('systemd accepts the unit, where there is a systemd', (context) => {
  const unit = 'docs/examples/ralph-worker.service';
  if (spawnSync('systemd-analyze', ['--version']).status !== 0)
    return context.skip('there is no systemd here: it did not look at the unit');
  const { stderr } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
  expect(stderr.split('\n').filter((line) => /Unknown|Failed to parse|invalid/i.test(line))).toEqual([]);
});

it('the container installs this package, and its entry starts a worker with its variables', () => {
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
  const folder = tempDir();
  shim(folder);
  const [program = '', ...args] = JSON.parse(rest('ENTRYPOINT')[0] ?? '[]') as string[];
  const variables = Object.fromEntries(rest('ENV').map((one) => one.split('=')));
  const env = {
    ...variables,
    RALPH_CLONE: 'git@example.com:a b.git',
    PATH: `${folder}:${process.env['PATH']}`,
  };
  expect(execFileSync(program, args, { env, encoding: 'utf8' }).trim().split('\n')).toEqual([
    'worker',
    '--jobs',
    '1',
    '--clone',
    'git@example.com:a b.git',
    '/home/node/project',
  ]);
  expect(existsSync(join(folder, 'ralph'))).toBe(true);
});
