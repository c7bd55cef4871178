import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runWithin } from '../support/ralph.ts';
import { done, type ScriptedProject, scripted, shell } from '../support/scripted-agent.ts';

type Attempts = Parameters<typeof scripted>[0];

/** `hooks`: by name, what each does in a shell. They lie where husky has them. */
async function project(
  attempts: Attempts,
  { config = '', hooks = {} }: { config?: string; hooks?: Record<string, string> },
): Promise<ScriptedProject> {
  const made = await scripted(attempts);
  const { git, project: given } = made;
  git('config', 'user.name', 'A');
  git('config', 'user.email', 'a@example.com');
  mkdirSync(join(given.root, '.husky'));
  for (const [name, text] of Object.entries(hooks))
    writeFileSync(join(given.root, '.husky', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  git('config', 'core.hooksPath', '.husky');
  writeFileSync(join(given.root, 'mine.txt'), 'mine\n');
  git('add', '.husky', 'mine.txt');
  git('commit', '-q', '--no-verify', '-m', 'Begin');
  await made.config(config);
  return made;
}

const HOOKS = 'commit: { policy: task, hooks: run, message: "{type}({feature}): {title} (#{id})" }\n';

it('hooks judge like gates: a refusal sends the task back with its output, and only its own files are in the index they see', async () => {
  const {
    project: given,
    git,
    promptOf,
  } = await project(
    {
      1: [
        [shell('echo bad > 1.txt'), done()],
        [shell('echo good > 1.txt'), done('Built.\n#7 is mended, too.')],
      ],
    },
    {
      config: HOOKS,
      hooks: {
        'pre-commit':
          'git diff --cached --name-only; if git diff --cached | grep -q "^+bad"; then echo "bad is forbidden"; exit 1; fi',
        'commit-msg': 'grep -q "^feat: " "$1" || exit 1; printf "Edited: by a hook\\n# a comment\\n" >> "$1"',
      },
    },
  );
  writeFileSync(join(given.root, 'mine.txt'), 'bad, but not the task\n');
  await given.json('add', 'One');
  const { code, stdout } = await given.within('run');
  expect(code).toBe(0);
  expect(stdout.match(/gates .*: hook [a-z-]+( failed)?/g)).toEqual([
    'gates 1/2: hook pre-commit failed',
    'gates 1/2: hook pre-commit',
    'gates 2/2: hook commit-msg',
  ]);
  expect(promptOf(1, 1)).toContain('bad is forbidden');
  expect(promptOf(1, 1)).toContain('hook pre-commit');
  expect(git('log', '-1', '--format=%B')).toMatch(
    /^feat: One \(#1\)\n\nBuilt\.\n#7 is mended, too\.\n\nRalph-Task: 1\nRalph-Session: \S+\nEdited: by a hook\n\n?$/,
  );
  expect(git('show', '--name-only', '--format=', 'HEAD')).toBe('1.txt\n');
});

it("Ralph commits what a hook mends in the task's files, and not what it changes elsewhere", async () => {
  const { project: given, git } = await project(
    { 1: [[shell('echo ugly > 1.txt'), done()]] },
    {
      config: HOOKS,
      hooks: {
        'pre-commit':
          'grep -qs ugly 1.txt || exit 0; echo pretty > 1.txt; echo formatted > mine.txt; echo "files were modified"; exit 1',
      },
    },
  );
  await given.json('add', 'One');
  const { code, stdout } = await given.within('run');
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('mine.txt changed while the gate hook pre-commit'),
  ]);
  expect(git('show', 'HEAD:1.txt')).toBe('pretty\n');
  expect(git('show', '--name-only', '--format=', 'HEAD')).toBe('1.txt\n');
});

const FORMATS = { 'pre-commit': 'sed -i s/ugly/pretty/ *.txt' };

it("files that a hook mended are still the task's work after a gate has failed", async () => {
  const gate = 'gates: [{ name: test, command: "[ ! -e 1.txt ] || [ -e 2.txt ]" }]\n';
  const { project: given, git } = await project(
    {
      1: [
        [shell('echo ugly > 1.txt'), done()],
        [shell('echo better > 1.txt; echo 2 > 2.txt'), done()],
      ],
    },
    { config: HOOKS + gate, hooks: FORMATS },
  );
  await given.json('add', 'One');
  expect(await given.within('run')).toMatchObject({ code: 0 });
  expect(git('show', 'HEAD:1.txt')).toBe('better\n');
});

it('files that a hook mended are not the work of the next task', async () => {
  const { project: given, git } = await project(
    { 1: [[shell('echo ugly > 1.txt'), done()]], 2: [[{ verb: 'done', args: { summary: 'Built.' } }]] },
    { config: `${HOOKS}limits: { stuck: 1 }\n`, hooks: FORMATS },
  );
  await given.json('add', 'One');
  await given.json('add', 'Two');
  await given.within('run', '--max-sessions', '2');
  expect(await given.json('show', '2')).not.toMatchObject({ status: 'done' });
  expect(git('log', '-1', '--format=%s')).toBe('feat: One (#1)\n');
});

it('no hook judges a done that makes no commit', async () => {
  const { project: given } = await project(
    { 1: [[{ verb: 'done', args: { summary: 'Looked.' } }]] },
    { config: HOOKS, hooks: { 'commit-msg': 'exit 1' } },
  );
  await given.json('add', 'One', '--kind', 'investigate');
  expect(await given.within('run')).toMatchObject({ code: 0 });
});

it('a hook that mends a file each time and never agrees refuses the commit', async () => {
  const { project: given } = await project(
    { 1: [[shell('echo 1 > 1.txt'), done()]] },
    { config: HOOKS, hooks: { 'pre-commit': 'echo more >> 1.txt; exit 1' } },
  );
  await given.json('add', 'One');
  await given.within('run', '--max-sessions', '1');
  expect(await given.json('show', '1')).toMatchObject({ status: 'pending', attempts: 1 });
});

it.each([
  ['a hook', 'echo "touch ran" >> .husky/pre-commit'],
  ['a file that a hook reads', 'echo "touch ran" >> .husky/common.sh'],
  ['a script of package.json that a hook runs', 'sed -i s/false/true/ package.json'],
  ['the settings of a tool that a hook runs', 'sed -i s/eslint/true/ package.json'],
])('a session that changes %s waits for a person, and nothing of it is run', async (_, change) => {
  const made = await project(
    { 1: [[shell(`${change}; echo 1 > 1.txt`), done()]] },
    { hooks: { 'pre-commit': '. .husky/common.sh; npm run -s pre', 'common.sh': '' } },
  );
  const packageJson = { scripts: { pre: 'false' }, 'lint-staged': { '*.js': 'eslint' } };
  writeFileSync(join(made.project.root, 'package.json'), JSON.stringify(packageJson));
  made.git('add', 'package.json');
  made.git('commit', '-q', '--no-verify', '-m', 'Add the package');
  await made.config(HOOKS);
  await made.project.json('add', 'One');
  const { stdout } = await made.project.within('run');
  expect(stdout).toContain('Task 1 changed the rules that judge it');
  expect(stdout).not.toContain('ran changed');
  expect(existsSync(join(made.project.root, 'ran'))).toBe(false);
});

it('Ralph names hooks that the configuration does not ask for, and does not run them', async () => {
  const { project: given } = await project(
    { 1: [[shell('echo 1 > 1.txt'), done()]] },
    { hooks: { 'pre-commit': 'touch ran; exit 1' } },
  );
  await given.json('add', 'One');
  expect(await given.within('run')).toMatchObject({ code: 0 });
  expect(existsSync(join(given.root, 'ran'))).toBe(false);
  expect((await given.within('doctor')).stdout).toContain(
    'pre-commit in .husky (husky): Ralph commits without them; to let them check: commit: { policy: task, hooks: run }',
  );
});

it('init asks a person on a terminal whether hooks judge, and trusts what it wrote', async () => {
  const { project: given } = await project({}, { hooks: { 'pre-commit': 'exit 0' } });
  execFileSync('rm', ['-r', join(given.root, '.ralph')]);
  const asked: string[] = [];
  const ask = async (question: string) => {
    asked.push(question);
    return 'y';
  };
  const env = { HOME: given.home, PATH: process.env['PATH'] };
  const { stdout } = await runWithin(['init'], { cwd: given.root, env, ask });
  expect(asked.join('\n')).toContain('This repository has hooks: pre-commit in .husky (husky).');
  expect(stdout).toContain('pre-commit in .husky (husky): they check each commit that Ralph makes');
  expect((await given.within('trust')).stdout).toMatch(
    /Trusted already:\n {2}hook file \.husky\/pre-commit: sha256/,
  );
});

it.each([
  ['without a passphrase', '', 'BEGIN SSH SIGNATURE', ''],
  [
    'that would ask for a passphrase',
    'secret words',
    '',
    'commits are not signed although commit.gpgsign asks',
  ],
])(
  'Ralph signs commits with the key of the repository %s, or says once that it does not',
  async (_, passphrase, signature, said) => {
    const made = await project(
      { 1: [[shell('echo 1 > 1.txt'), done()]], 2: [[shell('echo 2 > 2.txt'), done()]] },
      {},
    );
    const { project: given, git } = made;
    const key = join(given.home, 'key');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-f', key]);
    git('config', 'commit.gpgSign', 'true');
    git('config', 'gpg.format', 'ssh');
    git('config', 'user.signingKey', key);
    await made.config('');
    expect((await given.within('trust')).stdout).toContain(
      `commits are signed (ssh) by ssh-keygen with the key ${key}`,
    );
    await given.json('add', 'One');
    await given.json('add', 'Two');
    const { code, stdout } = await given.within('run');
    expect(code).toBe(0);
    expect(stdout.split('commits are not signed').length).toBe(said === '' ? 1 : 2);
    expect(stdout).toContain(said);
    for (const commit of ['HEAD', 'HEAD~1'])
      expect(git('cat-file', 'commit', commit)).toMatch(signature === '' ? /^(?![\s\S]*gpgsig)/ : signature);
  },
);
