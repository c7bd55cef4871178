import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { checkRoot } from '../../../../src/cli/doctor/agent.ts';
import { checkNode } from '../../../../src/cli/doctor/programs.ts';
import { openBetterSqlite } from '../../../../src/store/better-sqlite.ts';
import { CLAUDE } from '../../../support/claude.ts';
import {
  commitNothing,
  initialised,
  runWithin,
  type TestProject,
  testProject,
  WITHOUT_SANDBOX,
} from '../../../support/ralph.ts';
import { itEncloses } from '../../../support/sandbox.ts';

async function doctor({ root, home }: TestProject, path = process.env['PATH'], ...args: string[]) {
  const ran = await runWithin(['doctor', ...args, '--json'], {
    cwd: root,
    env: { HOME: home, PATH: path, IS_SANDBOX: '1' },
  });
  const { ok, checks }: { ok: boolean; checks: { name: string; ok: boolean; detail: string }[] } = JSON.parse(
    ran.stdout,
  );
  return {
    code: ran.code,
    ok,
    names: checks.map(({ name }) => name),
    wrong: Object.fromEntries(checks.filter((check) => !check.ok).map(({ name, detail }) => [name, detail])),
  };
}

const ALWAYS = [
  ...['node', 'sqlite', 'git', 'project', 'server', 'state', 'database', 'definitions', 'evidence'],
  ...['trust', 'embeddings', 'config', 'gate test', 'agent', 'login', 'permissions', 'sandbox', 'disk'],
  'environment',
];

/** A folder with a `claude` that tells its version, in front of the PATH. */
function withClaude({ home }: TestProject): string {
  mkdirSync(join(home, 'bin'), { recursive: true });
  writeFileSync(join(home, 'bin/claude'), '#!/bin/sh\necho "2.1.197 (Claude Code)"\n');
  chmodSync(join(home, 'bin/claude'), 0o755);
  return `${join(home, 'bin')}${delimiter}${process.env['PATH']}`;
}

async function healthy(): Promise<{ project: TestProject; path: string }> {
  const project = testProject();
  writeFileSync(join(project.root, 'package.json'), '{"scripts":{"test":"true"}}');
  await project.json('init');
  execFileSync('git', ['add', 'package.json'], { cwd: project.root });
  commitNothing(project);
  return { project, path: withClaude(project) };
}

it('ralph doctor finds nothing wrong with a healthy project', async () => {
  const { project, path } = await healthy();
  expect(await doctor(project, path)).toEqual({ code: 0, ok: true, names: ALWAYS, wrong: {} });
  const env = { HOME: project.home, PATH: path, IS_SANDBOX: '1' };
  expect((await runWithin(['doctor'], { cwd: project.root, env })).stdout).toMatch(
    /server +ralph serve answers/,
  );
});

it('no line of the doctor takes more than 80 columns where the terminal has no more', async () => {
  const { project, path } = await healthy();
  const gate = 'nowhere-to-be-found --with-words that-go-on and-on and-on and-on and-on';
  writeFileSync(
    join(project.root, '.ralph/config.yaml'),
    JSON.stringify({ gates: [{ name: 'test', command: gate }] }),
  );
  const env = { HOME: project.home, PATH: path, IS_SANDBOX: '1' };
  const { stdout } = await runWithin(['doctor'], { cwd: project.root, env, columns: 80 });
  expect(stdout).toMatch(/embeddings {3}\S.*\n {20}\S/);
  // A word that is longer than the line is cut, a path for one; everything else is broken between words.
  expect(Math.max(...stdout.split('\n').map((line) => [...line].length))).toBeLessThanOrEqual(80);
});

it('ralph doctor says for each problem what to do', async () => {
  const { project, path } = await healthy();
  writeFileSync(join(project.root, 'package.json'), '{}');
  writeFileSync(join(project.root, '.ralph/tasks.yaml'), 'tasks: [{ titel: x }]');
  writeFileSync(
    join(project.root, '.ralph/config.yaml'),
    'gates: [{ name: test, command: npm test }, { name: other, command: nowhere-to-be-found --all }]',
  );
  expect(await doctor(project, path)).toMatchObject({
    code: 1,
    ok: false,
    wrong: {
      definitions: '.ralph/tasks.yaml:1:11: unknown key "titel"; did you mean "title"? (and 1 more)',
      'gate test': 'package.json has no script "test"; add it, or change .ralph/config.yaml.',
      'gate other': 'nowhere-to-be-found was not found; install it, or change .ralph/config.yaml.',
      trust: 'the commands of this configuration may not run yet; look at them with ralph trust.',
    },
  });
});

it('ralph doctor warns root about the permissions that Claude Code refuses', () => {
  const permissions = 'bypassPermissions';
  expect(() => checkRoot({ env: {} }, { permissions }, false, 0)).toThrow(/does not run as root/);
  expect(checkRoot({ env: { IS_SANDBOX: '1' } }, { permissions }, false, 0)).toContain('in a container');
  expect(checkRoot({ env: {} }, { permissions }, false, 1000)).toBe(permissions);
  expect(checkRoot({ env: {} }, { permissions: 'acceptEdits' }, false, 0)).toBe('acceptEdits');
});

it('ralph doctor asks for the first commit, without which no session starts', async () => {
  const project = testProject();
  await project.json('init');
  expect((await doctor(project, withClaude(project))).wrong['git']).toContain('make a first commit');
});

it('ralph doctor refuses a git that is too old for slots, unless sessions work in the checkout', async () => {
  const { project, path } = await healthy();
  const git = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
  const shim = `#!/bin/sh\ncase "$*" in version|--version) echo git version 2.37.9;; *) exec ${git} "$@";; esac\n`;
  writeFileSync(join(project.home, 'bin/git'), shim, { mode: 0o755 });
  expect((await doctor(project, path)).wrong).toEqual({
    git: 'git version 2.37.9 is too old; slots need git 2.38 or newer. Install a newer git, or let sessions work in your checkout: ralph run --in-place, or in_place: true in .ralph/config.yaml.',
  });
  appendFileSync(join(project.root, '.ralph/config.yaml'), '\nin_place: true\n');
  expect((await doctor(project, path)).wrong).toEqual({});
});

it('ralph doctor reports a missing git, a missing agent and a configuration without gates', async () => {
  // An untouched queue asks git for traces of an earlier one.
  const project = await initialised({ isNew: false });
  const { wrong } = await doctor(project, '/nowhere');
  expect(Object.keys(wrong)).toEqual(['git', 'database', 'gates', 'agent']);
  expect(wrong['agent']).toContain('install Claude Code');
});

it('ralph doctor executes nothing of an untrusted repository', async () => {
  const { project, path } = await healthy();
  const trap = join(project.root, 'trap.sh');
  writeFileSync(trap, `#!/bin/sh\ntouch ${join(project.root, 'sprung')}\n`);
  chmodSync(trap, 0o755);
  writeFileSync(join(project.root, 'claude'), `#!/bin/sh\ntouch ${join(project.root, 'sprung')}\n`);
  chmodSync(join(project.root, 'claude'), 0o755);
  writeFileSync(
    join(project.root, '.ralph/config.yaml'),
    'agent: mine\nagents: { mine: { command: [./trap.sh] } }\ngates: [{ name: t, command: ./trap.sh }]',
  );
  writeFileSync(
    join(project.root, '.ralph/disciplines.yaml'),
    'disciplines: [{ name: backend, mcp_servers: [{ name: m, command: ./trap.sh }] }]',
  );
  writeFileSync(join(project.root, '.git/config'), `[core]\n\tfsmonitor = ${trap}\n\tsshCommand = ${trap}\n`);
  for (const command of ['doctor', 'list', 'status', 'next', 'trust', 'export']) {
    await runWithin([command], {
      cwd: project.root,
      env: { HOME: project.home, PATH: `.${delimiter}${path}` },
    });
  }
  expect(existsSync(join(project.root, 'sprung'))).toBe(false);
});

it('ralph doctor accepts ordinary gates', async () => {
  const { project, path } = await healthy();
  const commands = [
    'npm ci',
    'npm exec vitest run',
    'npm run -s test',
    'npm --workspaces test',
    'npm run typecheck --workspaces --if-present',
    '(cd . && npm test)',
    'FOO=1 npm test',
  ];
  writeFileSync(
    join(project.root, '.ralph/config.yaml'),
    JSON.stringify({ gates: commands.map((command, index) => ({ name: `g${index}`, command })) }),
  );
  expect(Object.keys((await doctor(project, path)).wrong)).toEqual(['trust']);
});

it('ralph doctor notices wrong counters, and repairs them with --fix', async () => {
  const { project, path } = await healthy();
  await project.json('add', 'x');
  const database = openBetterSqlite(join(project.root, '.git/ralph/ralph.db'));
  database.exec('update tasks set open_blockers = 3');
  database.close();
  expect((await doctor(project, path)).wrong).toEqual({
    database: '1 task with a wrong counter; run ralph doctor --fix.',
  });
  expect((await doctor(project, path, '--fix')).ok).toBe(true);
  expect(await project.json('next')).toMatchObject({ id: 1 });
});

it('ralph doctor refuses a Node that is too old', () => {
  expect(() => checkNode('18.20.0')).toThrow('install Node 20.19 or newer');
  expect(() => checkNode('20.18.9')).toThrow();
  expect(checkNode('24.1.0')).toBe('24.1.0');
});

it('ralph doctor checks a configured agent, names unread files, and reports a wrong configuration once', async () => {
  const { project, path } = await healthy();
  writeFileSync(
    join(project.root, '.ralph/config.yaml'),
    'agent: mine\nagents: { mine: { command: [nowhere] } }\ngates: [{ name: t, command: "true" }]',
  );
  writeFileSync(join(project.root, '.ralph/taks.yaml'), '');
  await project.json('trust', '--yes');
  expect((await doctor(project, path)).wrong).toEqual({
    definitions: 'Ralph does not read .ralph/taks.yaml; did you mean "tasks.yaml"?',
    agent: 'nowhere was not found; install it, or change .ralph/config.yaml.',
  });
  writeFileSync(join(project.root, '.ralph/config.yaml'), 'agnet: mine');
  expect(Object.keys((await doctor(project, path)).wrong)).toEqual(['definitions', 'config']);
});

it('ralph doctor runs the other checks if the database is damaged or missing', async () => {
  const { project, path } = await healthy();
  writeFileSync(join(project.root, '.git/ralph/ralph.db'), 'this is only text\n'.repeat(100));
  writeFileSync(join(project.root, '.ralph/config.yaml'), 'gates: [{ name: t, command: nowhere }]');
  const { wrong } = await doctor(project, path);
  expect(Object.keys(wrong)).toEqual(['database', 'gate t']);
  expect(wrong['database']).toMatch(/is not a database; move it away, or put a backup in its place\./);
});

it('ralph doctor --gates runs each gate once, and prints its time and the line of the failure', async () => {
  const { project } = await healthy();
  writeFileSync(
    join(project.root, '.ralph/config.yaml'),
    'gates: [{ name: lint, command: "true" }, { name: test, command: "echo FAIL a.test.ts; exit 1" }]\n',
  );
  expect((await project.within('doctor', '--gates')).stdout).toContain('that you have not trusted yet');
  await project.json('trust', '--yes');
  const { stdout } = await project.within('doctor', '--gates');
  expect(stdout).toMatch(/✓ ok +run lint +passed in \d\.\ds\n/);
  expect(stdout).toMatch(
    /✗ fix +run test +failed in \d\.\ds: FAIL a\.test\.ts; full output: \.git\/ralph\/doctor\/test\.log/,
  );
});

itEncloses('ralph doctor runs gates in the sandbox of a run, in the checkout and in a slot', async () => {
  const { root, home, json } = await initialised();
  mkdirSync(join(home, '.ssh'));
  writeFileSync(join(home, '.ssh/id'), 'a key');
  const gates = [{ name: 'keys', command: `! cat ${join(home, '.ssh/id')}` }];
  writeFileSync(join(root, '.ralph/config.yaml'), JSON.stringify({ gates }));
  await json('trust', '--yes');
  const passed = async (option: string, RALPH_SANDBOX: string): Promise<string[]> => {
    const env = { HOME: home, PATH: process.env['PATH'], RALPH_SANDBOX };
    const { stdout } = await runWithin(['doctor', option], { cwd: root, env });
    return [...stdout.matchAll(/ok +((?:run|slot) keys) +passed/g)].map(([, name = '']) => name);
  };
  expect(await passed('--slots', 'off')).toEqual([]);
  expect(await passed('--slots', 'process')).toEqual(['run keys', 'slot keys']);
  expect(await passed('--gates', 'process')).toEqual(['run keys']);
});

it('ralph doctor --gates keeps its findings if a person stops a gate with Ctrl-C', async () => {
  const { project } = await healthy();
  const { root, home } = project;
  writeFileSync(
    join(root, '.ralph/config.yaml'),
    'gates: [{ name: lint, command: "true" }, { name: test, command: "touch here; exec sleep 600" }, { name: last, command: touch last }]\n',
  );
  await project.json('trust', '--yes');
  const env = { HOME: home, RALPH_SANDBOX: 'off', PATH: process.env['PATH'] };
  const child = spawn(process.execPath, [inject('ralph'), 'doctor', '--gates'], { cwd: root, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close');
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
  await expect.poll(() => existsSync(join(root, 'here'))).toBe(true);
  child.kill('SIGINT');
  expect(await ended).toEqual([130, null]);
  expect(stdout).toMatch(/✓ ok +run lint +passed in .*\n✗ fix +run test +The gate test was stopped\.\n$/);
  expect(existsSync(join(root, 'last'))).toBe(false);
});

it('ralph doctor names the variables that gates do not get, and that is no failure', async () => {
  const { project, path } = await healthy();
  const env = { HOME: project.home, PATH: path, DATABASE_URL: 'postgres://db/shop', SHOP_TOKEN: 'x' };
  const environment = async () => (await runWithin(['doctor'], { cwd: project.root, env })).stdout;
  expect(await environment()).toMatch(
    /ok +environment +gates do not get DATABASE_URL, SHOP_TOKEN; if one is needed, name it under env in .ralph\/config.yaml/,
  );
  appendFileSync(join(project.root, '.ralph/config.yaml'), '\nenv: [DATABASE_URL, "SHOP_*"]\n');
  expect(await environment()).toMatch(
    /environment +agents and gates get every variable that they are likely to need/,
  );
});

it('ralph doctor asks the real Claude Code whether it is logged in', async () => {
  const { project } = await healthy();
  const path = `${dirname(CLAUDE)}${delimiter}${process.env['PATH']}`;
  expect((await doctor(project, path)).wrong).toEqual({
    login: 'Claude Code is not logged in; start claude once and type /login, or set ANTHROPIC_API_KEY.',
  });
  const env = { HOME: project.home, PATH: path, ANTHROPIC_API_KEY: 'dummy-key-of-a-test' };
  expect((await runWithin(['doctor'], { cwd: project.root, env })).stdout).toMatch(/login +api key/);
});

it('ralph doctor names what stopped the last session', async () => {
  const { project, path } = await healthy();
  writeFileSync(join(project.home, 'bin/claude'), '#!/bin/sh\necho "bad CPU type" >&2; exit 1\n');
  const config = join(project.root, '.ralph/config.yaml');
  const before = readFileSync(config, 'utf8');
  writeFileSync(config, `${before}\nagents: { mine: { command: [claude] }, other: { command: [claude] } }\n`);
  await project.json('trust', '--yes');
  await project.json('add', 'One', '--agent', 'mine');
  await project.json('add', 'Two', '--agent', 'other');
  await project.json('skip', '2');
  const env = { ...WITHOUT_SANDBOX, HOME: project.home, PATH: path };
  expect(await runWithin(['run'], { cwd: project.root, env })).toMatchObject({ code: 13, stderr: '' });
  withClaude(project);
  expect((await doctor(project, path)).wrong).toEqual({
    'last run': expect.stringMatching(
      /^Seen in the last session, at .*: The agent "mine" ended .*\(it says: bad CPU type\)/,
    ),
  });
  // A task may name an agent that nothing defines any more.
  writeFileSync(config, before);
  const { wrong } = await doctor(project, path);
  expect(wrong['agent mine']).toMatch(/^a task or a discipline names it, but there are only claude, codex, /);
  expect(wrong['agent other']).toBeUndefined();
});
