// An agent that plays the person: real processes of a real session, each in another way that hides where it comes from.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { run as runProcess } from '../../support/ralph.ts';
import { HANGS, runUntilAtWork } from '../../support/running.ts';
import { done, scripted, shell } from '../../support/scripted-agent.ts';

const hasScript = (() => {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux');
  } catch {
    return false;
  }
})();

const REFUSED = /only a person|Only a person/;

/** Each way ends with a file that holds what the command said. */
const WAYS: Readonly<Record<string, (command: string, out: string) => string>> = {
  'with a cleared environment': (command, out) => `env -i HOME="$HOME" ${command} > "${out}" 2>&1; true`,
  'as the leader of another session': (command, out) =>
    `env -i HOME="$HOME" setsid -w ${command} > "${out}" 2>&1; true`,
  'as an orphan': (command, out) => orphan(`env -i HOME="$HOME" ${command} > "${out}" 2>&1`, out),
  ...(hasScript && {
    'on a terminal of its own': (command, out) =>
      `env -i HOME="$HOME" script -qec '${command}' /dev/null > "${out}" 2>&1 < /dev/null; true`,
    'as an orphan on a terminal of its own': (command, out) =>
      orphan(`env -i HOME="$HOME" script -qec '${command}' /dev/null > "${out}" 2>&1 < /dev/null`, out),
  }),
};

/** Its parent ends at once and its environment is empty, so that nothing leads back to the session. The agent waits for it. */
const orphan = (line: string, out: string): string => {
  const waits = 'while [ "$(cut -d" " -f4 /proc/$$/stat)" = "$1" ]; do sleep 0.02; done';
  const file = `${waits}\n${line}\ntouch "${out}.end"\n`;
  const write = `printf '%s' '${file.replaceAll("'", `'\\''`)}' > "${out}.sh"`;
  const leave = `sh -c 'nohup env -i HOME="$HOME" PATH="$PATH" setsid sh "${out}.sh" $$ >/dev/null 2>&1 & sleep 0.1'`;
  return `${write}; ${leave}; while [ ! -e "${out}.end" ]; do sleep 0.02; done`;
};

it('no process of a session decides for the person, however it hides', async () => {
  const { project, write, git } = await scripted({});
  const { home, root } = project;
  const command = (args: string): string =>
    `${process.execPath} ${inject('ralph')} ${args} --project ${root}`;
  const decisions = ['trust --yes', 'skip 2', 'answer 1 yes', 'serve --http'];
  const tries = Object.entries(WAYS).flatMap(([way, line], nth) =>
    // Each takes a process of its own, so all of them are tried in one way only.
    (nth === 0 ? decisions : [decisions[nth % 2] ?? '']).map((args, which) => {
      const out = join(home, `said-${nth}-${which}`);
      return { name: `${way}: ${args}`, out, step: shell(line(command(args), out)) };
    }),
  );
  write(1, [[...tries.map(({ step }) => step), shell('echo work > work.txt'), done()]]);
  await project.json('add', 'One');
  await project.json('add', 'Two', '--draft');
  const before = trustRecords(home);
  expect(await project.ralph('run', '--once')).toMatchObject({ code: 0 });
  expect(tries.map(({ name, out }) => [name, readFileSync(out, 'utf8')])).toEqual(
    tries.map(({ name }) => [name, expect.stringMatching(REFUSED)]),
  );
  expect(await project.json('show', '2')).toMatchObject({ status: 'draft' });
  expect(trustRecords(home)).toEqual(before);
  expect(git('log', '--format=%s', '-1')).toContain('One');
});

it('a gate, which runs what an agent wrote, does not decide for the person', async () => {
  const { project, write, config } = await scripted({});
  const out = join(project.home, 'said');
  const line = `env -i HOME="$HOME" ${process.execPath} ${inject('ralph')} skip 2 --project ${project.root} > '${out}' 2>&1`;
  write(1, [[shell(`echo "${line.replaceAll('"', '\\"')}; true" > check.sh`), done()]]);
  await config('gates: [{ name: check, command: "[ ! -e check.sh ] || sh check.sh" }]\n');
  await project.json('add', 'One');
  await project.json('add', 'Two', '--draft');
  expect(await project.within('run', '--once')).toMatchObject({ code: 0 });
  expect(readFileSync(out, 'utf8')).toMatch(/This is a session of an agent/);
});

it('beside a run a person decides on a terminal, reads anywhere, and adds tasks from scripts', async ({
  skip,
}) => {
  if (!hasScript) skip('script of util-linux makes the terminal, and it is not here');
  const { project, write } = await scripted({});
  write(1, [[HANGS]]);
  await project.json('add', 'One');
  await project.json('add', 'Two', '--draft');
  // Without a run nobody needs a terminal.
  expect(await project.ralph('approve', '2')).toMatchObject({ code: 0 });
  await runUntilAtWork(project);
  expect(await project.ralph('skip', '2')).toMatchObject({
    code: 1,
    stderr:
      'ralph: Only a person decides about tasks, and without a terminal Ralph cannot tell you from the agents of the run that is at work; do it on a terminal, or after the run.\n',
  });
  expect(await project.ralph('list')).toMatchObject({ code: 0, stderr: '' });
  expect(await project.ralph('add', 'Three')).toMatchObject({ code: 0 });
  const { root, home } = project;
  const line = `${process.execPath} ${inject('ralph')} skip 2`;
  const env = { HOME: home, PATH: process.env['PATH'] };
  const typed = await runProcess('script', ['-qec', line, '/dev/null'], { cwd: root, env });
  expect(typed).toMatchObject({ code: 0, stdout: expect.stringContaining('Skipped #2 Two.') });
});

function trustRecords(home: string): string {
  const folder = join(home, '.local/state/ralph/trust');
  return existsSync(folder) ? execFileSync('sh', ['-c', 'cat *'], { cwd: folder, encoding: 'utf8' }) : '';
}
