// What can go wrong while sessions work in slots and their work lands on a trunk, one row each.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject } from 'vitest';
import { findExecutable } from '../../src/host/processes/find-executable.ts';
import type { TestProject } from '../support/ralph.ts';
import { replay } from '../support/replay.ts';
import { onSmallDisk, whyNoSmallDisk } from '../support/small-disk.ts';
import { bash, commitAs, committed, done, type Fault, GATE, gateOf, gitIn, shellIn, write } from './fault.ts';

const text = ({ root }: TestProject, file: string): string => readFileSync(join(root, file), 'utf8');

/** One session of each task has begun. The branch of a slot has the name of its task. */
const TOGETHER = `task=$(git branch --show-current); touch "$HOME/$task"
while [ ! -e "$HOME/task-1" ] || [ ! -e "$HOME/task-2" ]; do sleep 0.05; done`;

/** Two sessions at the same time; the second task lands first. `file`: what the second task brings. */
const afterOther = ({ root }: TestProject, file: string, first: string, second: string) =>
  bash(`${TOGETHER}
if [ $task = task-2 ]; then ${second}; else
while ! grep -qs two '${join(root, file)}'; do sleep 0.05; done
${first}
fi`);

const TWO: Pick<Fault, 'args' | 'tasks'> = { args: ['--jobs', '2'], tasks: [['Write the other']] };

/** As a person types it in their own checkout, beside the run. */
const inCheckout = ({ root }: TestProject, command: string) =>
  bash(`cd '${root}' && unset GIT_REFLOG_ACTION && ${command}`);

/** A git that ends the Ralph which called it, once, as soon as it has put work on the trunk. */
function dyingAfterLanding({ home }: TestProject): string {
  const folder = join(home, 'dying');
  mkdirSync(folder, { recursive: true });
  const script = `#!/bin/sh
'${findExecutable('git', process.env['PATH'])}' "$@"
code=$?
case "$*" in *'land a proven task'*) mkdir '${join(folder, 'once')}' 2>/dev/null && kill -9 $PPID ;; esac
exit $code
`;
  writeFileSync(join(folder, 'git'), script, { mode: 0o755 });
  return folder;
}

const diskOf = ({ home }: TestProject): string => join(home, 'disk');

/** A Ralph whose slots are on a disk that holds two hundred files. */
function onFullDisk(project: TestProject): string {
  const script = join(project.home, 'on-full-disk.mjs');
  const command = onSmallDisk(diskOf(project), 'size=1g,nr_inodes=200', [process.execPath, inject('ralph')]);
  const text = `import { spawnSync } from 'node:child_process';
const [program, ...args] = ${JSON.stringify(command)};
process.exitCode = spawnSync(program, [...args, ...process.argv.slice(2)], { stdio: 'inherit' }).status;
`;
  writeFileSync(script, text);
  return script;
}

const sessionsOn = (project: TestProject, branch: string): string[] =>
  gitIn(project)('log', '--format=%(trailers:key=Ralph-Session,valueonly,separator=%x20)', branch)
    .split('\n')
    .filter((line) => line !== '');

const NOT_ALONE_TOGETHER = 'test ! -e one.txt -o ! -e two.txt -o -e both.txt';

/** Both tasks landed, and the gate passes in a fresh clone of each commit. */
function expectEachGreen({ root }: TestProject, gate: string): void {
  const { commits, red } = replay(root, gate);
  expect({ landed: commits.length, red }).toEqual({ landed: 2, red: [] });
}

export const IN_SLOTS: readonly Fault[] = [
  {
    name: 'two sessions change the same lines',
    ofAnyAgent: true,
    turns: (p) => [
      afterOther(
        p,
        'hello.txt',
        // The second time it finds both versions, between conflict markers.
        "if grep -q '<<<<<<<' hello.txt; then sed -i '/^[<=>]\\{7\\}/d' hello.txt; else echo hello one > hello.txt; fi",
        'echo hello two > hello.txt',
      ),
      done,
    ],
    config: GATE,
    ...TWO,
    prepare: committed,
    afterwards: (p) => {
      expect(text(p, 'hello.txt').split('\n').sort()).toEqual(['', 'hello one', 'hello two']);
      expectEachGreen(p, 'grep -q hello hello.txt');
    },
  },
  {
    name: 'two sessions pass the gate apart and fail it together',
    ofAnyAgent: true,
    turns: (p) => [
      afterOther(
        p,
        'two.txt',
        'if [ -e two.txt ]; then echo both > both.txt; fi; echo one > one.txt',
        'echo two > two.txt',
      ),
      done,
    ],
    config: gateOf(NOT_ALONE_TOGETHER),
    ...TWO,
    prepare: committed,
    afterwards: (p) => {
      const git = gitIn(p);
      const trees = git('log', '--format=%H', 'main').trim().split('\n');
      const named = trees.map((hash) => git('ls-tree', '--name-only', hash).split('\n'));
      const both = named.filter((files) => files.includes('one.txt') && files.includes('two.txt'));
      expect(both.map((files) => files.includes('both.txt'))).toEqual([true]);
      expectEachGreen(p, NOT_ALONE_TOGETHER);
    },
  },
  {
    name: 'a person commits on the branch meanwhile',
    ofAnyAgent: true,
    turns: (p) => [
      write,
      inCheckout(p, 'echo mine > mine.txt && git add mine.txt && git commit -qm Mine'),
      done,
    ],
    config: GATE,
    prepare: committed,
    afterwards: (p) => expect([text(p, 'mine.txt'), text(p, 'hello.txt')]).toEqual(['mine\n', 'hello\n']),
  },
  {
    name: 'a person amends their commit meanwhile',
    ofAnyAgent: true,
    turns: (p) => [
      write,
      inCheckout(p, 'echo mine > mine.txt && git add mine.txt && git commit -q --amend -m Amended'),
      done,
    ],
    config: GATE,
    prepare: committed,
    afterwards: (p) => {
      const subjects = gitIn(p)('log', '--format=%s', 'main').trim().split('\n');
      expect(subjects).toEqual(['Write hello.txt', 'Amended']);
    },
  },
  {
    name: 'a person switches branches meanwhile',
    ofAnyAgent: true,
    turns: (p) => [write, inCheckout(p, 'git switch -q -c topic'), done],
    config: GATE,
    prepare: committed,
    afterwards: (p) => {
      expect([sessionsOn(p, 'main').length, sessionsOn(p, 'topic').length]).toEqual([1, 0]);
      expect(text(p, 'hello.txt')).toBe('nothing yet\n');
    },
  },
  {
    name: 'a person has changed the file that lands',
    ofAnyAgent: true,
    turns: () => [write, done],
    config: GATE,
    prepare: (p) => {
      committed(p);
      writeFileSync(join(p.root, 'hello.txt'), 'mine\n');
    },
    says: 'Commit or stash hello.txt, then run ralph land.',
    afterwards: (p) => {
      expect(text(p, 'hello.txt')).toBe('mine\n');
      expect([sessionsOn(p, 'main').length, sessionsOn(p, 'ralph/main').length]).toEqual([0, 1]);
    },
  },
  {
    name: 'a person has changed and staged other files',
    ofAnyAgent: true,
    turns: () => [write, done],
    config: GATE,
    prepare: (p) => {
      committed(p);
      commitAs(p, { 'notes.txt': 'old\n', 'staged.txt': 'old\n' });
      for (const name of ['notes.txt', 'staged.txt']) writeFileSync(join(p.root, name), 'mine\n');
      gitIn(p)('add', 'staged.txt');
    },
    afterwards: (p) => {
      expect([text(p, 'hello.txt'), text(p, 'notes.txt')]).toEqual(['hello\n', 'mine\n']);
      expect(gitIn(p)('status', '--porcelain', '--untracked-files=no')).toBe(' M notes.txt\nM  staged.txt\n');
    },
  },
  {
    name: 'the setup of a slot fails',
    ofAnyAgent: true,
    turns: () => [write, done],
    config: `slots: { setup: "test -z \\"$RALPH_SLOT\\" || { echo no network; exit 1; }" }\n`,
    args: [],
    prepare: committed,
    says: 'The setup of a slot failed',
  },
  {
    name: 'an agent breaks the lock file, so that the setup fails',
    ofAnyAgent: true,
    turns: () => [bash('echo hello > hello.txt; echo bad > lock.txt'), done],
    config: `slots: { setup: "grep good lock.txt || { echo broken; exit 1; }", stamp: [lock.txt] }\n${GATE}`,
    prepare: (p) => {
      committed(p);
      commitAs(p, { 'lock.txt': 'good\n' });
    },
    says: 'slots.setup',
    afterwards: (p) => expect(sessionsOn(p, 'ralph/main')).toEqual([]),
  },
  {
    name: 'the disk is full while a slot is made',
    ofAnyAgent: true,
    turns: () => [write, done],
    config: 'slots: { folder: ../home/disk }\n',
    args: [],
    tasks: [['Write the other']],
    prepare: (p) => {
      committed(p);
      const files = Array.from({ length: 300 }, (_, nth) => [`${nth}.txt`, '']);
      commitAs(p, Object.fromEntries(files));
      mkdirSync(diskOf(p));
    },
    ralph: onFullDisk,
    whyNot: whyNoSmallDisk,
    says: 'is full, so Ralph made no slot there; free some, remove old slots with ralph slots clean',
    afterwards: async (p) => {
      // No half of a slot, and the whole queue.
      expect(readFileSync(`${diskOf(p)}.left`, 'utf8')).not.toContain('work-1');
      const ready = { status: 'pending', attempts: 0, stuck_count: 0 };
      expect(await p.json('list')).toMatchObject([ready, ready]);
    },
  },
  {
    name: 'the gate is red in the slot and green in the checkout',
    ofAnyAgent: true,
    turns: () => [write, done],
    config: 'gates: [{ name: test, command: "grep -q 3000 local.cfg" }]\n',
    args: [],
    prepare: (p) => {
      committed(p);
      commitAs(p, { '.gitignore': 'local.cfg\n' });
      writeFileSync(join(p.root, 'local.cfg'), 'port: 3000\n');
      shellIn(p, ['grep -q 3000 local.cfg']);
    },
    says: 'If it passes in your checkout, see what slots lack: ralph doctor --slots.',
  },
  {
    name: 'Ralph is killed between landing and receipt, and runs again',
    ofAnyAgent: true,
    turns: () => [write, done],
    config: GATE,
    prepare: committed,
    path: dyingAfterLanding,
    later: ({ root }) => [root],
    afterwards: (p) => expect(sessionsOn(p, 'main').length).toBe(1),
  },
  {
    name: 'hides a broken file by a flag in the index',
    ofAnyAgent: true,
    turns: () => [
      bash('git update-index --assume-unchanged hello.txt; echo broken > hello.txt; echo draft > draft.txt'),
      done,
    ],
    config: gateOf('! grep broken hello.txt'),
    prepare: committed,
  },
  {
    name: 'hides a broken file in .git/info/exclude',
    ofAnyAgent: true,
    turns: () => [
      bash('echo broken.txt > .git/info/exclude; touch broken.txt; echo draft > draft.txt'),
      done,
    ],
    config: gateOf('test ! -e broken.txt'),
    prepare: committed,
  },
  {
    name: 'fills an ignored node_modules, without which the gate fails',
    ofAnyAgent: true,
    turns: () => [bash('mkdir node_modules; echo hello > node_modules/hello; echo draft > draft.txt'), done],
    config: gateOf('grep -q hello node_modules/hello'),
    prepare: (p) => {
      committed(p);
      commitAs(p, { '.gitignore': 'node_modules\n' });
    },
  },
];
