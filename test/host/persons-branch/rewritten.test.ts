// A person amends, rebases or drops commits after the trunk has built on them, and before their branch has what landed since.
// Each commit is then there once, in the person's version, and every tree that Ralph put on the trunk was seen by a gate.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MachineFailed } from '../../../src/domain/refusal.ts';
import { followTrunk } from '../../../src/host/persons-branch/follow.ts';
import {
  DONE,
  expectProven,
  type Lander,
  type LanderOptions,
  lander,
  taskCommits,
} from '../../support/landing.ts';
import {
  meetingPlace,
  slotRepository,
  type TestRepository,
  withDyingGit,
  writeIn,
} from '../../support/slots.ts';

/** Lands a file `task-N.txt`. */
async function land(one: Lander, task_id: number, path = `task-${task_id}.txt`, text = `${task_id}\n`) {
  const session = await one.start(task_id);
  writeIn(session.slot, path, text);
  const { work } = await one.land(session);
  return { session, commit: work?.commit ?? '' };
}

/** A file in the place of one that lands: main waits until it is gone. */
const hinder = ({ repository: { write } }: Lander, task_id: number): void =>
  write(`task-${task_id}.txt`, 'in the way\n');
const clear = ({ repository: { top } }: Lander, task_id: number): void =>
  rmSync(join(top, `task-${task_id}.txt`));

const commitFile = ({ write, git }: TestRepository, name: string): string => {
  write(`${name}.txt`, `${name}\n`);
  git('add', `${name}.txt`);
  git('commit', '-qm', name);
  return git('rev-parse', 'HEAD');
};

const subjects = ({ git }: TestRepository, branch = 'main'): string[] =>
  git('log', '--format=%s', branch).split('\n');

const files = ({ git }: TestRepository): string[] =>
  git('ls-tree', '--name-only', 'main')
    .split('\n')
    .filter((name) => name.endsWith('.txt'));

const ABC = ['A', 'B', 'C'];
const threeCommits = async (options?: LanderOptions): Promise<Lander> =>
  lander(await slotRepository({ commits: ABC }), options);

/** Main has A, B and C; task 1 has landed on them, and main does not have it because a file is in its way. */
async function waiting(options?: LanderOptions): Promise<Lander & { first: string }> {
  const one = await threeCommits(options);
  hinder(one, 1);
  const { commit } = await land(one, 1);
  expect(one.following.at(-1)).toMatchObject({ kind: 'waits' });
  clear(one, 1);
  return { ...one, first: commit };
}

const rebase = ({ git }: TestRepository, edit: string, ...args: string[]): void => {
  git('-c', `sequence.editor=${edit}`, '-c', 'core.editor=true', 'rebase', '-q', '-i', ...args);
};

describe('commits that a person replaced after work had landed on them', () => {
  it.each<[string, string[], (repository: TestRepository) => void]>([
    [
      'an amend',
      ['A2', 'B', 'C'],
      (one) => {
        rebase(one, 'sed -i "1s/pick/reword/"', 'HEAD~3');
        one.git('reset', '-q', '--soft', 'HEAD~3');
        one.git('reset', '-q', '--', 'B.txt', 'C.txt');
        one.git('commit', '-qm', 'A2');
        for (const name of ['B', 'C']) commitFile(one, name);
      },
    ],
    [
      'an amend of the newest',
      ['A', 'B', 'C2'],
      ({ write, git }) => {
        write('C.txt', 'C2\n');
        git('commit', '-qa', '--amend', '-m', 'C2');
      },
    ],
    [
      'an amend of the message alone',
      ['A', 'B', 'C2'],
      ({ git }) => {
        git('commit', '-q', '--amend', '-m', 'C2');
      },
    ],
    ['a rebase that drops a commit', ['A', 'C'], (one) => rebase(one, 'sed -i 2d', 'HEAD~3')],
    ['a rebase that changes the order', ['B', 'A', 'C'], (one) => rebase(one, 'sed -i "1h;1d;2G"', 'HEAD~3')],
    ['a rebase that squashes', ['A', 'B'], (one) => rebase(one, 'sed -i "3s/pick/fixup/"', 'HEAD~3')],
    [
      'a rebase onto another branch',
      ['X', 'A', 'B', 'C'],
      (one) => {
        one.git('switch', '-q', '-c', 'other', 'HEAD~3');
        commitFile(one, 'X');
        one.git('switch', '-q', 'main');
        one.git('rebase', '-q', 'other');
      },
    ],
    [
      'a reset to an older commit and a new one',
      ['A', 'D'],
      (one) => {
        one.git('reset', '-q', '--hard', 'HEAD~2');
        commitFile(one, 'D');
      },
    ],
  ])('%s is on the trunk once, with the landed work on top of it', async (_, names, rewrite) => {
    const one = await waiting();
    rewrite(one.repository);
    const branch = one.repository.git('rev-parse', 'main');
    await land(one, 2);
    expect(subjects(one.repository)).toEqual(['Task 2', 'Task 1', ...[...names].reverse(), 'First']);
    expect(one.repository.git('rev-parse', 'main~2')).toBe(branch);
    const wanted = names.includes('B') ? names : names.filter((name) => name !== 'B');
    expect(files(one.repository)).toEqual(
      expect.arrayContaining([...wanted.map((name) => `${name[0]}.txt`), 'task-1.txt', 'task-2.txt']),
    );
    expect(files(one.repository).includes('B.txt')).toBe(names.includes('B'));
    expect(one.repository.git('status', '--porcelain')).toBe('');
    expect(one.repository.git('for-each-ref', '--format=%(refname)', 'refs/ralph/candidate')).not.toContain(
      'merge-main',
    );
    expectProven(one);
  });

  it('the message and the author of landed work stay', async () => {
    const one = await waiting();
    const { git } = one.repository;
    const FORMAT = '--format=%an %ae %ad%n%B';
    const before = git('log', '-1', FORMAT, one.first);
    git('commit', '-q', '--amend', '-m', 'C2');
    git('config', 'user.name', 'Another');
    await land(one, 2);
    expect(git('log', '-1', FORMAT, 'main~1')).toBe(before);
    expect(git('rev-parse', 'main~1')).not.toBe(one.first);
  });

  it('changes that are not committed stay as they are, also where they keep the branch waiting', async () => {
    const one = await waiting();
    const { write, git, read } = one.repository;
    write('lib/tool.js', 'mine\n');
    hinder(one, 1);
    git('commit', '-q', '--amend', '-m', 'C2');
    await land(one, 2);
    expect([read('lib/tool.js'), read('task-1.txt')]).toEqual(['mine\n', 'in the way\n']);
    expect(subjects(one.repository, 'ralph/main')).toEqual(['Task 2', 'Task 1', 'C2', 'B', 'A', 'First']);
    expect(subjects(one.repository)).toEqual(['C2', 'B', 'A', 'First']);
    expectProven(one);
  });

  it('a second rewrite before the branch could follow leaves only the newest version', async () => {
    const one = await waiting();
    const { git } = one.repository;
    hinder(one, 1);
    git('commit', '-q', '--amend', '-m', 'C2');
    await land(one, 2);
    git('commit', '-q', '--amend', '-m', 'C3');
    await land(one, 3);
    clear(one, 1);
    await land(one, 4);
    expect(subjects(one.repository)).toEqual([
      'Task 4',
      'Task 3',
      'Task 2',
      'Task 1',
      'C3',
      'B',
      'A',
      'First',
    ]);
    expectProven(one);
  });

  it('commits that were taken in and then replaced do not come back, and earlier landed work keeps its commit', async () => {
    const one = await waiting();
    const { git } = one.repository;
    hinder(one, 1);
    commitFile(one.repository, 'D');
    await land(one, 2);
    expect(subjects(one.repository, 'ralph/main')).toContain("Merge branch 'main' into ralph/main");
    git('commit', '-q', '--amend', '-m', 'D2');
    clear(one, 1);
    await land(one, 3);
    expect(subjects(one.repository).sort()).toEqual(
      [
        ...['A', 'B', 'C', 'D2', 'First', "Merge branch 'main' into ralph/main"],
        'Task 1',
        'Task 2',
        'Task 3',
      ].sort(),
    );
    expect(git('rev-list', 'main')).toContain(one.first);
    expectProven(one);
  });

  it('a commit that was taken in and then dropped waits for ralph land', async () => {
    const one = await waiting();
    const { git, place } = one.repository;
    hinder(one, 1);
    const before = git('rev-parse', 'main');
    commitFile(one.repository, 'D');
    await land(one, 2);
    clear(one, 1);
    git('reset', '-q', '--hard', before);
    expect(await followTrunk(place, one.trunk)).toMatchObject({
      kind: 'waits',
      reason: expect.stringContaining('You moved main back'),
    });
    expect(await followTrunk(place, one.trunk, { isAsked: true })).toMatchObject({ kind: 'followed' });
  });

  it('while they wait for the next run, a person is not told to merge both versions', async () => {
    const one = await waiting();
    one.repository.git('commit', '-q', '--amend', '-m', 'C2');
    expect(await followTrunk(one.repository.place, one.trunk)).toMatchObject({
      kind: 'waits',
      reason: expect.stringMatching(/You replaced commits of main.*The next ralph run/),
    });
  });

  it('what a person commits on the trunk itself is planted anew, too, with the branch that they merged there', async () => {
    const one = await waiting();
    const { git } = one.repository;
    git('switch', '-q', '-c', 'feature', 'main~3');
    const feature = commitFile(one.repository, 'F');
    git('switch', '-q', 'ralph/main');
    git('merge', '-q', '--no-edit', 'feature');
    commitFile(one.repository, 'G');
    git('switch', '-q', 'main');
    git('commit', '-q', '--amend', '-m', 'C2');
    await land(one, 2);
    expect(subjects(one.repository)).not.toContain('C');
    expect(subjects(one.repository)).toEqual(expect.arrayContaining(['Task 2', 'G', 'F', 'Task 1', 'C2']));
    expect(git('rev-list', 'main')).toContain(feature);
  });

  it('a commit that a person put onto their branch themselves lands no second time', async () => {
    const one = await waiting();
    const { git } = one.repository;
    git('commit', '-q', '--amend', '-m', 'C2');
    git('cherry-pick', one.first);
    const branch = git('rev-parse', 'main');
    await land(one, 2);
    expect(git('rev-parse', 'main^')).toBe(branch);
    expectProven(one);
  });

  it('landed work that a person merged and then reworded is there once', async () => {
    const one = await waiting();
    const { git } = one.repository;
    git('merge', '-q', '--ff-only', 'ralph/main');
    git('commit', '-q', '--amend', '-m', `Reworded\n\n${git('log', '-1', '--format=%(trailers)')}`);
    await land(one, 2);
    expect(subjects(one.repository)).toEqual(['Task 2', 'Reworded', 'C', 'B', 'A', 'First']);
    expectProven(one);
  });
});

describe('landed work that does not fit what a person made of their commits', () => {
  /** Task 1 changes a line of C, and the person has replaced that line. */
  async function conflicting(): Promise<Lander & { first: string }> {
    const one = await threeCommits();
    one.repository.write('C.txt', 'in the way\n');
    const { commit } = await land(one, 1, 'C.txt', 'by the task\n');
    one.repository.write('C.txt', 'by the person\n');
    one.repository.git('commit', '-qa', '--amend', '-m', 'C2');
    return { ...one, first: commit };
  }

  it('one sentence says what to type, nothing moves, and what it says works', async () => {
    const one = await conflicting();
    const { git, write } = one.repository;
    const refs = git('for-each-ref', 'refs/heads', 'refs/ralph/followed');
    const failed = await land(one, 2).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(MachineFailed);
    const text = failed instanceof Error ? failed.message : '';
    expect(text).toMatch(/^You replaced commits of main .*Task 1.*in C\.txt/);
    expect(git('for-each-ref', 'refs/heads', 'refs/ralph/followed')).toBe(refs);
    const command = /git (cherry-pick [^,;]*)[,;]/.exec(text)?.[1] ?? '';
    expect(() => git(...command.split(' '))).toThrow();
    write('C.txt', 'by both\n');
    git('add', 'C.txt');
    git('-c', 'core.editor=true', 'cherry-pick', '--continue');
    await land(one, 3);
    expect(subjects(one.repository)).toEqual(['Task 3', 'Task 1', 'C2', 'B', 'A', 'First']);
    expect(one.repository.read('C.txt')).toBe('by both\n');
    expect(taskCommits(one)).toHaveLength(2);
  });

  it('work that is red on the new commits does not land there, and one sentence says so', async () => {
    const one = await waiting({ gate: '! { grep -q C2 C.txt && test -e task-1.txt; }' });
    const { git, write } = one.repository;
    write('C.txt', 'C2\n');
    git('commit', '-qa', '--amend', '-m', 'C2');
    const refs = git('for-each-ref', 'refs/heads');
    await expect(land(one, 2)).rejects.toThrow(
      /^You replaced commits of main .*Task 1.* fails the gate test/,
    );
    expect(git('for-each-ref', 'refs/heads')).toBe(refs);
    expect(git('for-each-ref', 'refs/ralph/candidate/merge-*')).toBe('');
  });
});

describe('a rewrite at an unlucky moment', () => {
  /** The gate runs this in the middle of its next run, once. */
  const once = (folder: string, script: string): string =>
    `test -e ${folder}/armed && rm ${folder}/armed && cd ${folder}/project && { ${script}; }; true`;

  it('an amend while gates judge the work that is planted anew begins again from the newest version', async () => {
    const repository = await slotRepository({ commits: ABC });
    const gate = once(repository.folder, 'git commit -q --amend -m C3');
    const one = await lander(repository, { gate });
    hinder(one, 1);
    await land(one, 1);
    clear(one, 1);
    repository.git('commit', '-q', '--amend', '-m', 'C2');
    const session = await one.start(2);
    writeIn(session.slot, 'task-2.txt', '2\n');
    repository.write('../armed', '');
    await one.land(session);
    expect(existsSync(join(repository.folder, 'armed'))).toBe(false);
    expect(subjects(repository)).toEqual(['Task 2', 'Task 1', 'C3', 'B', 'A', 'First']);
    expectProven(one);
  });

  it('an amend while gates judge the next work is there once', async () => {
    const one = await waiting();
    const session = await one.start(2);
    writeIn(session.slot, 'task-2.txt', '2\n');
    const gates = await one.verifier.runGates(session.claim, DONE);
    one.repository.git('commit', '-q', '--amend', '-m', 'C2');
    await one.verifier.commit(session.claim, DONE, gates);
    one.verifier.leave(session.claim.session.id);
    expect(subjects(one.repository)).toEqual(['Task 2', 'Task 1', 'C2', 'B', 'A', 'First']);
    expectProven(one);
  });

  it('work whose supervisor was killed before it settled is found where it was planted, and judged there', async () => {
    const one = await threeCommits();
    hinder(one, 1);
    const { session, commit } = await land(one, 1);
    clear(one, 1);
    one.repository.git('commit', '-q', '--amend', '-m', 'C2');
    await land(one, 2);
    const next = await lander(one.repository, { isRecovery: true });
    const found = await next.verifier.landedCommit(session.claim);
    expect(found).toBe(one.repository.git('rev-parse', 'main~1'));
    expect(found).not.toBe(commit);
    expect((await next.land(session)).work).toMatchObject({
      commit: found,
      tree_hash: one.repository.git('rev-parse', `${found}^{tree}`),
    });
    expect(taskCommits(one)).toHaveLength(2);
  });

  it('if a gate is ended in between, nothing has moved, and the next landing does it', async () => {
    const stop = new AbortController();
    const repository = await slotRepository();
    const one = await lander(repository);
    for (const name of ['A', 'B', 'C']) commitFile(repository, name);
    hinder(one, 1);
    await land(one, 1);
    clear(one, 1);
    repository.git('commit', '-q', '--amend', '-m', 'C2');
    const refs = repository.git('for-each-ref', 'refs/heads', 'refs/ralph/followed');
    const stopped = await lander(repository, { stop: stop.signal, onGate: () => stop.abort() });
    await expect(land(stopped, 2)).rejects.toThrow();
    expect(repository.git('for-each-ref', 'refs/heads', 'refs/ralph/followed')).toBe(refs);
    await land(one, 3);
    expect(subjects(repository)).toEqual(['Task 3', 'Task 1', 'C2', 'B', 'A', 'First']);
    expectProven(one);
  });
});

it.each([
  ['before', 'the merge', '*merge-tree*'],
  ['after', 'the new commit', '*commit-tree*'],
  ['before', 'the move of the trunk', '*plant\\ landed\\ work\\ anew*'],
  ['after', 'the move of the trunk', '*plant\\ landed\\ work\\ anew*'],
] as const)('if git dies %s %s, every commit is there once in the end', async (when, _, pattern) => {
  const one = await waiting();
  const { repository } = one;
  repository.git('commit', '-q', '--amend', '-m', 'C2');
  const dying = await lander(withDyingGit(repository, pattern, when));
  const session = await dying.start(2);
  writeIn(session.slot, 'task-2.txt', '2\n');
  repository.write('../armed', '');
  await dying.land(session).catch((error: unknown) => expect(error).toBeInstanceOf(MachineFailed));
  expect(existsSync(join(repository.folder, 'armed'))).toBe(false);
  if (taskCommits(one).length < 2) await one.land(session);
  expect(subjects(repository)).toEqual(['Task 2', 'Task 1', 'C2', 'B', 'A', 'First']);
  expectProven(one);
});

it('on a remote Ralph replaces no commit, whatever a person makes of their own branch', async () => {
  const { bare, first } = await meetingPlace();
  const one = await lander(first, {
    remote: {
      name: 'origin',
      refs: 'refs/ralph/',
      patienceMs: 0,
      stop: new AbortController().signal,
      onOutage: () => {},
    },
  });
  commitFile(first, 'A');
  first.git('push', '-q', 'origin', 'main');
  hinder(one, 1);
  await land(one, 1);
  clear(one, 1);
  first.git('commit', '-q', '--amend', '-m', 'A2');
  const before = first.git('--git-dir', bare, 'rev-list', 'main').split('\n');
  await land(one, 2);
  expect(first.git('--git-dir', bare, 'rev-list', 'main').split('\n')).toEqual(
    expect.arrayContaining(before),
  );
  expect(subjects(first)).toEqual(['A2', 'First']);
  expect(one.following.at(-1)).toMatchObject({ kind: 'waits' });
});
