import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ownFolder } from '../../../src/host/git/own-git.ts';
import { workRef } from '../../../src/host/git/refs.ts';
import { takeTree } from '../../../src/host/git/work-tree.ts';
import { recordBranch } from '../../../src/host/work/branch.ts';
import { looksUnchanged } from '../../../src/host/work/changed-work.ts';
import { openBase } from '../../../src/host/work/session-base.ts';
import {
  discardDoneWork,
  discardWork,
  restoreWork,
  saveUnfinished,
} from '../../../src/host/work/unfinished-work.ts';
import { tempDir } from '../../support/temp.ts';

function repository() {
  const folder = tempDir();
  const root = join(folder, 'project');
  mkdirSync(root);
  const env = { PATH: process.env['PATH'], HOME: folder };
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, env, encoding: 'utf8' });
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  git('init', '-q');
  git('config', 'user.email', 'a@example.com');
  git('config', 'user.name', 'A');
  write('kept.txt', 'kept\n');
  write('deep/changed.txt', 'old\n');
  write('deleted.txt', 'deleted\n');
  write('.gitignore', 'ignored.txt\n');
  git('add', '.');
  git('commit', '-qm', 'First');
  const place = { root, env, stateDir: join(root, '.git/ralph') };
  let session = 0;
  const tree = async () => (await takeTree(place))?.tree ?? null;
  return {
    root,
    git,
    write,
    place,
    read: (path: string) => readFileSync(join(root, path), 'utf8'),
    has: (path: string) => existsSync(join(root, path)),
    take: async (task: number, done: readonly number[] = [], agentCommits = false) => {
      const subject = { task_id: task, session_id: `s-${++session}` };
      const { tree: known, ...taken } = await restoreWork(place, {
        ...subject,
        isDone: async (id) => done.includes(id),
        known: null,
        agentCommits,
      });
      // What it says of the tree is true, whatever it did to it.
      if (known !== null) expect(known).toBe(await tree());
      await openBase(place, subject);
      return taken;
    },
    tree,
  };
}

/** What an unfinished task may leave: new, changed, deleted, executable, odd names. */
function leaveWork({ write, root }: ReturnType<typeof repository>): void {
  write('new/deep/er.txt', 'new\n');
  write('deep/changed.txt', 'new\n');
  write('odd näme "x".txt', 'odd\n');
  write('run.sh', '#!/bin/sh\n');
  chmodSync(join(root, 'run.sh'), 0o755);
  rmSync(join(root, 'deleted.txt'));
  write('ignored.txt', 'ignored\n');
}

describe('unfinished work', () => {
  it("unfinished work stays the task's if the agent has committed it as configured", async () => {
    const { git, write, take, place } = repository();
    await take(1, [], true);
    write('new.txt', 'new\n');
    git('add', 'new.txt');
    git('commit', '-qm', 'Of the agent');
    await saveUnfinished(place, { task_id: 1, session_id: 's-1' }, null, { agentCommits: true });
    await take(1, [], true);
    expect(await looksUnchanged(place, 's-2')).toBe(false);
  });

  it('unfinished work of a session does not become the base of the next session of its task', async () => {
    const { write, take, place } = repository();
    await take(1);
    write('first.txt', 'of the first session\n');
    await take(1);
    write('second.txt', 'of the second session\n');
    const owner = () => readFileSync(join(ownFolder(place), 'work-in-progress.json'), 'utf8');
    const begun = owner();
    await saveUnfinished(place, { task_id: 1, session_id: 's-1', isLast: async () => false });
    expect(owner()).toBe(begun);
    await saveUnfinished(place, { task_id: 1, session_id: 's-2', isLast: async () => true });
    expect(owner()).not.toBe(begun);
  });

  it('unfinished work makes way for another task, and is restored whole with its own', async () => {
    const project = repository();
    const { git, has, read, take, tree, root } = project;
    await take(1);
    leaveWork(project);
    const left = await tree();
    expect(await take(2)).toEqual({ set_aside: 1, left_out: [] });
    expect(git('status', '--porcelain')).toBe('');
    expect([has('new'), has('run.sh'), read('deep/changed.txt'), read('deleted.txt')]).toEqual([
      false,
      false,
      'old\n',
      'deleted\n',
    ]);
    // What git ignores is nobody's work.
    expect(read('ignored.txt')).toBe('ignored\n');
    await discardWork(project.place, 2);
    expect(await take(1)).toEqual({ set_aside: null, left_out: [] });
    expect(await tree()).toBe(left);
    expect(statSync(join(root, 'run.sh')).mode & 0o111).not.toBe(0);
    // Saved until the task is done, in whatever state the tree is left.
    await discardWork(project.place, 1);
    expect(git('for-each-ref', 'refs/ralph')).toBe('');
  });

  it('unfinished work survives a person who removes every object without a ref, at any moment', async () => {
    const project = repository();
    const { git, take, tree, place } = project;
    const prune = () => git('gc', '-q', '--prune=now');
    await take(1);
    prune();
    leaveWork(project);
    const left = await tree();
    await saveUnfinished(place, { task_id: 1, session_id: 's-1' });
    prune();
    await take(2);
    prune();
    await discardWork(place, 2);
    await take(1);
    prune();
    expect(await tree()).toBe(left);
    project.write('deep/changed.txt', 'newer\n');
    await take(2);
    prune();
    await take(1);
    expect(project.read('deep/changed.txt')).toBe('newer\n');
  });

  it('a task goes on from its saved work if the record names a tree that is gone', async () => {
    const project = repository();
    const { take, tree, place } = project;
    await take(1);
    leaveWork(project);
    const left = await tree();
    await saveUnfinished(place, { task_id: 1, session_id: 's-1' });
    const owner = join(ownFolder(place), 'work-in-progress.json');
    const gone = { tree: 'f'.repeat(40), left_out: [], submodules: {} };
    writeFileSync(owner, JSON.stringify({ task_id: 1, base: gone, left: 'e'.repeat(40) }));
    expect(await take(2)).toMatchObject({ set_aside: 1 });
    await discardWork(place, 2);
    await take(1);
    expect(await tree()).toBe(left);
    writeFileSync(owner, JSON.stringify({ task_id: 9, base: gone }));
    expect(await take(2)).toMatchObject({ set_aside: null });
  });

  it('Ralph parks work that holds a nested repository with a question, and leaves the repository in place', async () => {
    const project = repository();
    const { git, take, place, root, has } = project;
    await take(1);
    project.write('scaffold/index.js', 'x\n');
    git('init', '-q', 'scaffold');
    project.write('kept.txt', 'of task 1\n');
    await expect(saveUnfinished(place, { task_id: 1, session_id: 's-1' })).rejects.toThrow(
      'Task 1 left a git repository of its own in scaffold, and a commit cannot hold its files.',
    );
    expect(await take(2)).toEqual({ set_aside: 1, left_out: [] });
    expect([has('scaffold/index.js'), project.read('kept.txt')]).toEqual([true, 'kept\n']);
    await discardWork(place, 2);
    rmSync(join(root, 'scaffold/.git'), { recursive: true });
    expect(await take(1)).toMatchObject({ left_out: [] });
    await saveUnfinished(place, { task_id: 1, session_id: 's-3' });
    expect(git('diff', '--name-only', `${workRef(1)}^`, workRef(1))).toBe('kept.txt\nscaffold/index.js\n');
  });

  it('Ralph parks work with a file that is too large to commit, and writes no object of it', async () => {
    const project = repository();
    const { take, place, root, git } = project;
    await take(1);
    writeFileSync(join(root, 'data.bin'), '');
    truncateSync(join(root, 'data.bin'), 101 * 2 ** 20);
    await expect(saveUnfinished(place, { task_id: 1, session_id: 's-1' })).rejects.toThrow(
      'Task 1 left data.bin (101 MB), and Ralph commits no file over 100 MB.',
    );
    expect(Number(/^size: (\d+)$/m.exec(git('count-objects', '-v'))?.[1])).toBeLessThan(1_000);
  });

  it('unfinished work stays in the tree while its own task is tried again', async () => {
    const project = repository();
    await project.take(1);
    leaveWork(project);
    const left = await project.tree();
    expect(await project.take(1)).toEqual({ set_aside: null, left_out: [] });
    expect(await project.tree()).toBe(left);
  });

  it('restoring leaves out files that have changed meanwhile, names them, and keeps their saved versions', async () => {
    const project = repository();
    const { take, write, read, git, place } = project;
    await take(1);
    write('deep/changed.txt', 'of task 1\n');
    write('new.txt', 'of task 1\n');
    await take(2);
    write('deep/changed.txt', 'of task 2\n');
    git('commit', '-qam', 'Second');
    await discardWork(place, 2);
    expect(await take(1)).toEqual({ set_aside: null, left_out: ['deep/changed.txt'] });
    expect([read('deep/changed.txt'), read('new.txt')]).toEqual(['of task 2\n', 'of task 1\n']);
    expect(git('show', `${workRef(1)}:deep/changed.txt`)).toBe('of task 1\n');
  });

  it('unfinished work that a person has finished or committed meanwhile stays', async () => {
    const project = repository();
    const { take, write, read, has, git } = project;
    await take(1);
    write('new.txt', 'of task 1\n');
    expect(await take(2, [1])).toEqual({ set_aside: null, left_out: [] });
    expect(read('new.txt')).toBe('of task 1\n');
    write('two.txt', 'of task 2\n');
    write('more.txt', 'of task 2\n');
    git('add', 'two.txt', 'new.txt');
    git('commit', '-qm', 'By hand');
    expect(await take(3)).toMatchObject({ set_aside: 2 });
    expect([read('two.txt'), has('more.txt'), git('status', '--porcelain')]).toEqual([
      'of task 2\n',
      false,
      '',
    ]);
  });

  it('unfinished work is whole again after a kill while half of it was taken out', async () => {
    const project = repository();
    const { take, tree, root, place } = project;
    await take(1);
    leaveWork(project);
    const left = await tree();
    const owner = join(ownFolder(place), 'work-in-progress.json');
    const before = JSON.parse(readFileSync(owner, 'utf8'));
    await take(2);
    // Back to the middle: the commit is made, one file is still there and one was never restored.
    writeFileSync(owner, JSON.stringify({ ...before, leaving: left }));
    project.write('run.sh', '#!/bin/sh\n');
    rmSync(join(root, 'deleted.txt'));
    await take(2);
    expect([project.has('run.sh'), project.read('deleted.txt')]).toEqual([false, 'deleted\n']);
    await discardWork(place, 2);
    await take(1);
    expect(await tree()).toBe(left);
  });

  it.each([1, 2])(
    'unfinished work is whole again after a kill while half of it was put back, and task %i comes next',
    async (next) => {
      const project = repository();
      const { take, tree, root, place, git } = project;
      await take(1);
      leaveWork(project);
      const left = await tree();
      await take(2);
      await discardWork(place, 2);
      const saved = git('rev-parse', workRef(1)).trim();
      await take(1);
      // Back to the middle: the reference is there, and only a part of the work.
      git('update-ref', workRef(1), saved);
      const owner = join(ownFolder(place), 'work-in-progress.json');
      writeFileSync(owner, JSON.stringify({ ...JSON.parse(readFileSync(owner, 'utf8')), returning: true }));
      rmSync(join(root, 'run.sh'));
      project.write('deep/changed.txt', 'old\n');
      await take(next);
      if (next === 2) expect(git('status', '--porcelain')).toBe('');
      if (next === 2) await take(1);
      expect(await tree()).toBe(left);
    },
  );

  it('Ralph forgets the saved work of a task once it is done, even after a kill in between', async () => {
    const project = repository();
    const { take, write, git, place } = project;
    for (const [task, file] of [
      [1, 'one.txt'],
      [2, 'two.txt'],
      [3, 'three.txt'],
    ] as const) {
      await take(task);
      write(file, 'begun\n');
    }
    await take(4);
    expect(git('for-each-ref', '--format=%(refname)', 'refs/ralph').split('\n')).toHaveLength(8);
    await discardDoneWork(place, async () => new Set([2, 3, 4]));
    expect(git('for-each-ref', '--format=%(refname)', 'refs/ralph')).toBe(
      `refs/ralph/base/1\n${workRef(1)}\n`,
    );
    expect(existsSync(join(ownFolder(place), 'work-in-progress.json'))).toBe(false);
  });

  it("unfinished work keeps the task's part of a file that a person or a gate changed since", async () => {
    const project = repository();
    const { take, write, place, git } = project;
    await take(1);
    write('deep/changed.txt', 'of the task \n');
    await saveUnfinished(place, { task_id: 1, session_id: 's-1' });
    write('deep/changed.txt', 'of the task\n');
    write('kept.txt', 'of a person\n');
    await take(1);
    await saveUnfinished(place, { task_id: 1, session_id: 's-2' });
    expect(git('diff', '--name-only', `${workRef(1)}^`, workRef(1))).toBe('deep/changed.txt\n');
  });

  it("setting work aside does not remove a person's file that the agent has named in .gitignore", async () => {
    const project = repository();
    const { take, write, read, place, has } = project;
    write('notes.txt', 'of a person\n');
    await take(1);
    write('.gitignore', 'ignored.txt\nnotes.txt\n');
    write('new.txt', 'of the task\n');
    await saveUnfinished(place, { task_id: 1, session_id: 's-1' });
    await take(2);
    expect([has('new.txt'), read('notes.txt')]).toEqual([false, 'of a person\n']);
    await discardWork(place, 2);
    expect(await take(1)).toEqual({ set_aside: null, left_out: [] });
    expect([has('new.txt'), read('notes.txt')]).toEqual([true, 'of a person\n']);
  });

  it('Ralph does not restore work over a file that git ignores by now', async () => {
    const project = repository();
    const { take, write, read, place, git } = project;
    await take(1);
    write('local.env', 'of the task\n');
    write('new.txt', 'of the task\n');
    await saveUnfinished(place, { task_id: 1, session_id: 's-1' });
    await take(2);
    write('.gitignore', 'ignored.txt\nlocal.env\n');
    git('commit', '-qam', 'Ignore it');
    write('local.env', 'of a person\n');
    await discardWork(place, 2);
    expect(await take(1)).toEqual({ set_aside: null, left_out: ['local.env'] });
    expect([read('local.env'), read('new.txt')]).toEqual(['of a person\n', 'of the task\n']);
  });

  it("setting work aside restores a person's uncommitted files that the agent removed", async () => {
    const project = repository();
    const { take, write, read, git, root } = project;
    write('kept.txt', 'of a person\n');
    write('notes.txt', 'of a person\n');
    await take(1);
    git('checkout', '-q', 'kept.txt');
    rmSync(join(root, 'notes.txt'));
    await take(2);
    expect([read('kept.txt'), read('notes.txt')]).toEqual(['of a person\n', 'of a person\n']);
  });

  it('Ralph does not restore work over a file that took the place of its folder', async () => {
    const project = repository();
    const { take, write, read, git, place } = project;
    await take(1);
    write('data/x', 'of task 1\n');
    await take(2);
    await discardWork(place, 2);
    write('data', 'of a person\n');
    git('add', 'data');
    git('commit', '-qm', 'Of a person');
    expect(await take(1)).toMatchObject({ left_out: ['data/x'] });
    expect(read('data')).toBe('of a person\n');
  });

  it('setting work aside does not take along what a person had changed before', async () => {
    const project = repository();
    const { take, write, read, has } = project;
    write('kept.txt', 'of a person\n');
    await take(1);
    write('new.txt', 'of task 1\n');
    await take(2);
    expect([read('kept.txt'), has('new.txt')]).toEqual(['of a person\n', false]);
  });

  it('there is no unfinished work if nothing changed, or without git', async () => {
    const project = repository();
    await project.take(1);
    expect(await project.take(2)).toEqual({ set_aside: null, left_out: [] });
    const root = tempDir();
    const place = {
      root,
      env: { PATH: process.env['PATH'], HOME: root },
      stateDir: join(root, '.ralph/state'),
    };
    const input = {
      task_id: 1,
      session_id: 's',
      isDone: async () => false,
      known: null,
      agentCommits: false,
    };
    expect(await restoreWork(place, input)).toEqual({
      set_aside: null,
      left_out: [],
      tree: null,
    });
  });
});

/** A git behind which a person, once, goes to another branch and commits there: after its n-th call of this command. */
function personActsAfter(
  env: Record<string, string | undefined>,
  root: string,
  command: string,
  call: number,
) {
  const bin = tempDir();
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const act = `cd '${root}' && unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY && ${real} switch -q -c side && echo mine > person.txt && ${real} add person.txt && ${real} -c user.name=P -c user.email=p@example.com commit -qm Person -- person.txt`;
  const script = `#!/bin/sh
${real} "$@"; code=$?
case "$*" in *${command}*) echo x >> '${bin}/calls'; [ "$(wc -l < '${bin}/calls')" -eq ${call} ] && (${act}) >/dev/null 2>&1 ;; esac
exit $code
`;
  writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  return { ...env, PATH: `${bin}:${env['PATH']}` };
}

describe('a person who commits on another branch while Ralph looks at the tree', () => {
  it.each([1, 2])(
    "a person's commit on another branch is not in the work that makes way (after tree %i)",
    async (call) => {
      const project = repository();
      const { place, root, git, write, take } = project;
      await take(7);
      write('task.txt', 'work\n');
      await saveUnfinished(place, { session_id: 's-1', task_id: 7 });
      const raced = { ...place, env: personActsAfter(place.env, root, 'ls-files', call) };
      await restoreWork(raced, {
        task_id: 8,
        session_id: 's-2',
        isDone: async () => false,
        known: null,
        agentCommits: false,
      });
      expect(git('log', '-1', '--format=%s', 'side')).toBe('Person\n');
      expect(git('diff', '--name-only', `${workRef(7)}^1`, workRef(7))).toBe('task.txt\n');
    },
  );

  it("a person's commit on another branch is not in the work that is saved", async () => {
    const { place, root, git, write, take } = repository();
    await recordBranch(place, 's-1');
    await take(7);
    write('task.txt', 'work\n');
    const raced = { ...place, env: personActsAfter(place.env, root, 'write-tree', 1) };
    await saveUnfinished(raced, { session_id: 's-1', task_id: 7 });
    expect(git('log', '-1', '--format=%s', 'side')).toBe('Person\n');
    expect(git('diff', '--name-only', `${workRef(7)}^1`, workRef(7))).toBe('task.txt\n');
  });
});
