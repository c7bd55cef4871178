// One sentence, the right exit code, nothing changed.
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { initialised, run, type TestProject, testProject } from '../support/ralph.ts';

const databaseOf = ({ root }: TestProject): string => join(root, '.git/ralph/ralph.db');

async function expectRefusal(
  project: TestProject,
  args: string[],
  code: number,
  message: string | RegExp,
  run: TestProject['ralph'] = project.within,
): Promise<void> {
  const ran = await run(...args);
  expect(ran).toMatchObject({ code, stdout: '' });
  expect(ran.stderr).toMatch(message);
  expect(ran.stderr).toMatch(/^ralph: [^\n]+\n$/);
}

describe('in a project with two tasks', () => {
  const cases: [string, string[], number, string | RegExp][] = [
    ['an unknown id', ['show', '99'], 1, 'There is no task 99; ralph list shows all tasks.'],
    ['an unknown id to change', ['edit', '99', '--title', 'x'], 1, 'There is no task 99'],
    [
      'an id that is no number',
      ['show', 'seven'],
      2,
      'ralph: "seven" cannot be the value of id; give a number such as 7.',
    ],
    ['an unknown question', ['answer', '5', 'x'], 1, 'There is no question 5'],
    ['an empty answer', ['answer', '5', ' '], 1, 'The answer is empty'],
    [
      'a dependency on itself',
      ['edit', '1', '--depends-on', '1'],
      1,
      'Task 1 cannot depend on itself; name another task, or none.',
    ],
    [
      'a cycle',
      ['edit', '1', '--depends-on', '2'],
      1,
      'closes the cycle 1 → 2 → 1; remove one of these dependencies first.',
    ],
    [
      'a dependency on a missing task',
      ['add', 'x', '--depends-on', '77'],
      1,
      'Task 3 cannot depend on task 77: there is no task 77; ralph list shows all tasks.',
    ],
    [
      'dependencies that are no numbers',
      ['add', 'x', '--depends-on', '1,two'],
      2,
      'ralph: "1,two" cannot be the value of --depends-on; give a number such as 7.',
    ],
    ['an empty title', ['add', ''], 1, 'The title is empty; say in a few words what is to be done.'],
    ['a title of several lines', ['add', 'a\nb'], 1, 'The title has more than one line'],
    [
      'a title that is too long',
      ['add', 'x'.repeat(100_000)],
      1,
      'The title is 100000 characters long; at most 500 are kept.',
    ],
    [
      'a number of sessions that is none',
      ['run', '--max-sessions', '-1'],
      2,
      'ralph: "-1" cannot be the value of --max-sessions; give a whole number, 0 or more.',
    ],
    ['no title', ['add'], 2, 'ralph: The argument title is missing; see ralph add --help.'],
    [
      'an unknown feature',
      ['add', 'x', '--feature', 'auth'],
      1,
      'there is no such feature; add it first: ralph feature add "auth".',
    ],
    ['a discipline that was mistyped', ['add', 'x', '--discipline', 'bakcend'], 1, 'did you mean "backend"?'],
    [
      'an unknown priority',
      ['add', 'x', '--priority', 'urgent'],
      2,
      'ralph: "urgent" cannot be the value of --priority; allowed choices are critical, high, medium, low.',
    ],
    [
      'an unknown option',
      ['list', '--stauts', 'done'],
      2,
      'ralph: There is no option "--stauts"; did you mean --status?',
    ],
    [
      'an option like no other',
      ['list', '--zzzzzz'],
      2,
      'ralph: There is no option "--zzzzzz"; ralph list --help lists all options.',
    ],
    ['an option without its value', ['list', '--status'], 2, 'The option --status needs a value'],
    [
      'too many arguments',
      ['list', '7'],
      2,
      'ralph: ralph list takes 0 arguments, not 1; see ralph list --help.',
    ],
    ['an unknown command', ['lst'], 2, 'ralph: There is no command "lst"; did you mean list?'],
    [
      'a command like no other',
      ['zzzzzz'],
      2,
      'ralph: There is no command "zzzzzz"; ralph --help lists all commands.',
    ],
    [
      'help about an unknown command',
      ['help', 'zzzzzz'],
      2,
      'ralph: There is no command "zzzzzz"; ralph --help lists all commands.',
    ],
    ['nothing to change', ['edit', '1'], 1, 'Nothing to change; say what, such as --priority high.'],
    ['a file that is not there', ['import', 'nowhere.yaml'], 1, 'There is no file nowhere.yaml'],
    ['a file that is no YAML', ['import', 'package.bin'], 1, 'package.bin is not UTF-8 text'],
    ['a folder that is not there', ['list', '--project', 'nowhere'], 1, 'is not a folder'],
    [
      'approving what is no draft',
      ['approve', '1'],
      1,
      'Cannot approve task 1: it is queued; ralph run works on it.',
    ],
    [
      'retrying what has not failed',
      ['retry', '1'],
      1,
      'Cannot retry task 1: it is queued; ralph run works on it.',
    ],
  ];

  it('every wrong input is refused and leaves the database unchanged', async () => {
    const project = await initialised();
    await project.json('add', 'first');
    await project.json('add', 'second', '--depends-on', '1');
    writeFileSync(join(project.root, 'package.bin'), Buffer.from([0xff, 0xfe, 0x00]));
    const before = await project.json('list');
    const pattern = (message: string | RegExp) =>
      typeof message === 'string' ? new RegExp(literally(message)) : message;
    for (const [, args, code, message] of cases) await expectRefusal(project, args, code, pattern(message));
    // A process ends with the same code and the same sentence, whichever of the two it is.
    for (const wanted of [1, 2]) {
      const [, args, code, message] = cases.find((one) => one[2] === wanted) ?? fail();
      await expectRefusal(project, args, code, pattern(message), project.ralph);
    }
    expect(await project.json('list')).toEqual(before);
  });
});

function fail(): never {
  throw new Error('There is no such case.');
}

const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

describe('a place that cannot be used', () => {
  it('a folder without .ralph is refused', async () => {
    await expectRefusal(
      testProject(),
      ['list'],
      1,
      /There is no \.ralph folder in .* or above it; run ralph init there first\./,
    );
  });

  it('a file that is not a database is refused', async () => {
    const project = await initialised();
    rmSync(databaseOf(project));
    writeFileSync(databaseOf(project), 'this is only text\n'.repeat(100));
    await expectRefusal(
      project,
      ['add', 'x'],
      1,
      /ralph\.db is not a database; move it away, or put a backup in its place\./,
    );
    expect(readFileSync(databaseOf(project), 'utf8')).toContain('only text');
  });

  it('a database of a newer Ralph is refused', async () => {
    const project = await initialised();
    const { openBetterSqlite } = await import('../../src/store/better-sqlite.ts');
    const database = openBetterSqlite(databaseOf(project));
    database.pragma('user_version = 99');
    database.close();
    await expectRefusal(
      project,
      ['list'],
      1,
      /has version 99, this Ralph supports \d+; install a newer ralph-mcp\./,
    );
  });

  it('a read-only database is refused', async () => {
    const project = await initialised();
    await project.json('add', 'x');
    chmodSync(databaseOf(project), 0o444);
    const before = readFileSync(databaseOf(project));
    const ran = await run(...withoutPrivileges(process.execPath, inject('ralph'), 'add', 'y'), {
      cwd: project.root,
      env: { HOME: project.home, PATH: process.env['PATH'] },
    });
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(
      /^ralph: The database .* is read-only; make the file and its folder writable\.\n$/,
    );
    expect(readFileSync(databaseOf(project))).toEqual(before);
  });

  it('a .git file that points nowhere is refused', async () => {
    const project = testProject({ git: false });
    mkdirSync(join(project.root, '.ralph'));
    writeFileSync(join(project.root, '.git'), 'gitdir: /nowhere/at/all\n');
    await expectRefusal(
      project,
      ['list'],
      1,
      /points to no git directory; repair it with: git worktree repair/,
    );
  });

  it('files in the place of folders are refused', async () => {
    const project = testProject();
    mkdirSync(join(project.root, '.ralph'));
    writeFileSync(join(project.root, '.ralph/db'), '');
    // The process itself puts an error of the system into words.
    await expectRefusal(project, ['list'], 1, /\.ralph\/db cannot be used \(ENOTDIR\)/, project.ralph);
  });

  it('definitions that contain themselves, and endless ids, are refused', async () => {
    const project = await initialised();
    writeFileSync(join(project.root, '.ralph/tasks.yaml'), 'tasks: &a [*a]');
    await expectRefusal(project, ['list'], 1, /the alias \*a stands for a value that contains it/);
    writeFileSync(join(project.root, '.ralph/tasks.yaml'), 'tasks: [{ id: 9007199254740991, title: x }]');
    await expectRefusal(project, ['list'], 1, /"id" is 9007199254740991, too large/);
  });

  it('a damaged database is refused', async () => {
    const project = await initialised();
    for (let count = 0; count < 40; count++) await project.json('add', `task ${count}`);
    const file = readFileSync(databaseOf(project));
    file.fill(0x55, 4096, 4096 * 4);
    rmSync(`${databaseOf(project)}-wal`, { force: true });
    writeFileSync(databaseOf(project), file);
    const ran = await project.within('list');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/^ralph: The database .* is damaged; put a backup in its place\.\n$/);
  });
});

/** Root may write everything; without that privilege it is bound by the mode of a file, as everybody is. */
function withoutPrivileges(...command: [string, ...string[]]): [string, string[]] {
  const drop = [
    'setpriv',
    '--bounding-set=-dac_override,-dac_read_search',
    '--inh-caps=-dac_override,-dac_read_search',
  ];
  const [executable = '', ...args] = process.getuid?.() === 0 ? [...drop, ...command] : command;
  return [executable, args];
}

it('a reader that closes the pipe causes no error', async () => {
  const project = await initialised();
  for (let count = 0; count < 3; count++) await project.json('add', 'x'.repeat(400));
  const { code, stderr } = await run(
    'bash',
    ['-o', 'pipefail', '-c', `"${process.execPath}" "${inject('ralph')}" list | head -1 > /dev/null`],
    {
      cwd: project.root,
      env: { HOME: project.home, PATH: process.env['PATH'] },
    },
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});
