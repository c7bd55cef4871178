import { rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../src/domain/refusal.ts';
import { git as runGit } from '../../../src/host/git/git.ts';
import { advanceTrunk, findTrunk, trunkStanding } from '../../../src/host/landing/trunk.ts';
import { type Following, followTrunk } from '../../../src/host/persons-branch/follow.ts';
import { findExecutable } from '../../../src/host/processes/find-executable.ts';
import { dropLock, takeLock } from '../../../src/host/processes/lock-file.ts';
import { slotRepository, type TestRepository } from '../../support/slots.ts';
import { tempDir } from '../../support/temp.ts';

type Scene = TestRepository & {
  tip: string;
  base: string;
  follow(isAsked?: boolean): Promise<Following>;
  /** The person's checkout: what git says about it. */
  status(): string;
};

/** The trunk is one commit ahead: it changes src/app.js and adds src/new.js. */
async function ahead(): Promise<Scene> {
  const repository = await slotRepository();
  const { git, write, commit, place } = repository;
  write('notes.txt', 'notes\n');
  const base = commit('Second');
  write('src/app.js', 'landed\n');
  write('src/new.js', 'new\n');
  const tip = commit('Landed');
  git('branch', 'ralph/main', tip);
  git('reset', '-q', '--hard', base);
  const follow = (isAsked = false): Promise<Following> =>
    followTrunk(place, findTrunk(place, 'main'), { isAsked });
  return { ...repository, tip, base, follow, status: () => git('status', '--porcelain=v1') };
}

const main = ({ git }: TestRepository): string => git('rev-parse', 'main');

/** A PATH whose git does something else before and after it moves the branch for Ralph. */
function gitThat(before: string, after = ''): string {
  const [folder, path] = [tempDir(), process.env['PATH'] ?? ''];
  const real = findExecutable('git', path);
  const script = `#!/bin/sh
case "$*" in *update-ref*'bring main'*) ;; *) exec '${real}' "$@" ;; esac
(PATH='${path}'; ${before || ':'})
'${real}' "$@"; code=$?
(PATH='${path}'; ${after || ':'}) </dev/null
exit $code
`;
  writeFileSync(join(folder, 'git'), script, { mode: 0o755 });
  return `${folder}${delimiter}${path}`;
}

describe('the checkout of a person', () => {
  it('a clean checkout follows the trunk', async () => {
    const scene = await ahead();
    expect(await scene.follow()).toEqual({ kind: 'followed', commit: scene.tip, commits: 1 });
    expect([main(scene), scene.status(), scene.read('src/new.js')]).toEqual([scene.tip, '', 'new\n']);
    expect(await scene.follow()).toEqual({ kind: 'nothing' });
  });

  it('the checkout of a person waits while another process moves it', async () => {
    const scene = await ahead();
    const lock = join(scene.place.stateDir, 'follow.lock');
    expect(await takeLock(lock)).toBe(true);
    const following = scene.follow();
    // As many git commands as a move needs, twice.
    for (let look = 0; look < 20; look++) await runGit(scene.place, ['status']);
    expect([main(scene), scene.status()]).toEqual([scene.base, '']);
    dropLock(lock);
    expect(await following).toMatchObject({ kind: 'followed', commit: scene.tip });
  });

  it('changes in other files stay as they are, staged or not', async () => {
    const scene = await ahead();
    scene.write('notes.txt', 'mine\n');
    scene.write('lib/tool.js', 'staged\n');
    scene.git('add', 'lib/tool.js');
    scene.write('mine.txt', 'untracked\n');
    expect(await scene.follow()).toMatchObject({ kind: 'followed' });
    expect(scene.status().split('\n')).toEqual(['M  lib/tool.js', ' M notes.txt', '?? mine.txt']);
    expect(scene.read('notes.txt')).toBe('mine\n');
    expect(main(scene)).toBe(scene.tip);
  });

  it.each<[string, RegExp, (scene: Scene) => void, Record<string, string>]>([
    [
      'an edited file',
      /Commit or stash src\/app\.js/,
      ({ write }) => write('src/app.js', 'mine\n'),
      { 'src/app.js': 'mine\n' },
    ],
    [
      'a staged file',
      /Commit or stash src\/app\.js/,
      ({ write, git }) => {
        write('src/app.js', 'mine\n');
        git('add', 'src/app.js');
      },
      { 'src/app.js': 'mine\n' },
    ],
    [
      'an untracked file',
      /Commit or stash src\/new\.js/,
      ({ write }) => write('src/new.js', 'mine\n'),
      { 'src/new.js': 'mine\n' },
    ],
    [
      'an ignored file',
      /src\/new\.js/,
      ({ write, top }) => {
        writeFileSync(join(top, '.git/info/exclude'), 'src/new.js\n');
        write('src/new.js', 'mine\n');
      },
      { 'src/new.js': 'mine\n' },
    ],
    [
      'a folder with ignored files',
      /src\/new\.js/,
      ({ write, top }) => {
        writeFileSync(join(top, '.git/info/exclude'), 'src/new.js\n');
        write('src/new.js/deep.txt', 'mine\n');
      },
      { 'src/new.js/deep.txt': 'mine\n' },
    ],
    [
      'a file that git is told to ignore changes of',
      /src\/app\.js/,
      ({ write, git }) => {
        git('update-index', '--skip-worktree', 'src/app.js');
        write('src/app.js', 'mine\n');
      },
      { 'src/app.js': 'mine\n' },
    ],
  ])('the checkout waits where %s is in the way, and every byte stays', async (_, reason, edit, files) => {
    const scene = await ahead();
    edit(scene);
    const before = scene.status();
    const result = await scene.follow();
    expect(result).toMatchObject({ kind: 'waits', commits: 1, reason: expect.stringMatching(reason) });
    for (const [path, text] of Object.entries(files)) expect(scene.read(path)).toBe(text);
    expect([main(scene), scene.status()]).toEqual([scene.base, before]);
  });

  it('an ignored file in the place of a landed folder stays', async () => {
    const scene = await ahead();
    scene.git('switch', '-q', 'ralph/main');
    scene.write('out/made.js', 'made\n');
    scene.commit('More');
    scene.git('switch', '-q', 'main');
    writeFileSync(join(scene.top, '.git/info/exclude'), 'out\n');
    writeFileSync(join(scene.top, 'out'), 'mine\n');
    expect(await scene.follow()).toMatchObject({ kind: 'waits', reason: expect.stringMatching(/out/) });
    expect(scene.read('out')).toBe('mine\n');
  });

  it.each<[string, (scene: Scene) => void]>([
    [
      'a rebase',
      ({ git, write, commit }) => {
        write('notes.txt', 'other\n');
        commit('Other');
        git('branch', 'other');
        git('reset', '-q', '--hard', 'HEAD^');
        try {
          git('-c', 'sequence.editor=sed -i s/pick/edit/', 'rebase', '-q', '-i', 'HEAD^');
        } catch {}
      },
    ],
    ['a merge', ({ top, base }) => writeFileSync(join(top, '.git/MERGE_HEAD'), `${base}\n`)],
    ['a bisect', ({ top }) => writeFileSync(join(top, '.git/BISECT_LOG'), '')],
  ])('the checkout waits for the end of %s', async (name, begin) => {
    const scene = await ahead();
    begin(scene);
    const word = name.split(' ')[1] ?? '';
    expect(await scene.follow()).toMatchObject({
      kind: 'waits',
      reason: expect.stringContaining(`Finish the ${word}`),
    });
    expect(main(scene)).toBe(scene.base);
  });

  it('a branch that is not checked out follows, and the checkout stays', async () => {
    const scene = await ahead();
    scene.git('switch', '-q', '-c', 'elsewhere');
    scene.write('src/app.js', 'mine\n');
    expect(await scene.follow()).toMatchObject({ kind: 'followed' });
    expect([main(scene), scene.read('src/app.js')]).toEqual([scene.tip, 'mine\n']);
  });

  it('a branch that is checked out in another work tree follows there', async () => {
    const scene = await ahead();
    scene.git('switch', '-q', '--detach');
    const other = join(scene.folder, 'other');
    scene.git('worktree', 'add', '-q', other, 'main');
    expect(await scene.follow()).toMatchObject({ kind: 'followed' });
    expect(scene.git('-C', other, 'status', '--porcelain')).toBe('');
    expect([main(scene), scene.read('src/app.js')]).toEqual([scene.tip, 'one\n']);
  });

  it('a branch that its person moved back waits for them, and ralph land brings it forward', async () => {
    const scene = await ahead();
    await scene.follow();
    scene.git('reset', '-q', '--hard', scene.base);
    expect(await scene.follow()).toMatchObject({
      kind: 'waits',
      reason: expect.stringContaining('You moved main back'),
    });
    expect(main(scene)).toBe(scene.base);
    expect(await scene.follow(true)).toMatchObject({ kind: 'followed' });
    expect(main(scene)).toBe(scene.tip);
  });

  it('a checkout is as before if its branch could not be moved', async () => {
    const scene = await ahead();
    scene.write('notes.txt', 'mine\n');
    const lock = join(scene.top, '.git/refs/heads/main.lock');
    writeFileSync(lock, '');
    await expect(scene.follow()).rejects.toThrow(/main/);
    rmSync(lock);
    expect([main(scene), scene.status(), scene.read('src/app.js')]).toEqual([
      scene.base,
      'M notes.txt',
      'one\n',
    ]);
    expect(scene.read('src/new.js')).toBeNull();
    expect(await scene.follow()).toMatchObject({ kind: 'followed' });
  });

  it.each([
    ['comes back to', 'switch -q -c elsewhere', 'switch -q main', 'main'],
    ['leaves', 'branch elsewhere', 'switch -q elsewhere', 'elsewhere'],
  ])(
    'a checkout is that of its branch if a person %s the branch right before Ralph moves it',
    async (_, first, then, onto) => {
      const scene = await ahead();
      scene.git(...first.split(' '));
      const PATH = gitThat(`git -C '${scene.top}' ${then}`);
      const place = { ...scene.place, env: { ...scene.place.env, PATH } };
      expect(await followTrunk(place, findTrunk(place, 'main'))).toMatchObject({ kind: 'followed' });
      expect([main(scene), scene.status()]).toEqual([scene.tip, '']);
      expect(scene.git('branch', '--show-current')).toBe(onto);
    },
  );

  it('a checkout is that of its branch if a person begins a branch right after Ralph has moved theirs', async () => {
    const scene = await ahead();
    const PATH = gitThat('', `git -C '${scene.top}' switch -q -c feature`);
    const place = { ...scene.place, env: { ...scene.place.env, PATH } };
    expect(await followTrunk(place, findTrunk(place, 'main'))).toMatchObject({ kind: 'followed' });
    expect([main(scene), scene.status(), scene.read('src/new.js')]).toEqual([scene.tip, '', 'new\n']);
    expect(scene.git('branch', '--show-current')).toBe('feature');
  });

  it('a checkout shows only what its person did if they commit a line of a landed file just before it follows', async () => {
    const scene = await ahead();
    // As git add -p and git commit do it: the landed line of the same file stays uncommitted.
    const commitLine = `cd '${scene.top}'; printf 'mine\\none\\n' >.git/line; hash=$(git hash-object -w .git/line)
      printf 'mine\\nlanded\\n' >src/app.js; add="git update-index --cacheinfo 100644,$hash,src/app.js"
      tree=$(export GIT_INDEX_FILE=.git/own; git read-tree HEAD; $add; git write-tree)
      git update-ref HEAD "$(git commit-tree -p HEAD -m Mine "$tree")"; $add`;
    const place = { ...scene.place, env: { ...scene.place.env, PATH: gitThat(commitLine) } };
    expect(await followTrunk(place, findTrunk(place, 'main'))).toMatchObject({ kind: 'waits' });
    expect(scene.git('log', '-1', '--format=%s', 'main')).toBe('Mine');
    expect([scene.status(), scene.read('src/app.js')]).toEqual(['M src/app.js', 'mine\nlanded\n']);
    expect(scene.read('src/new.js')).toBeNull();
  });

  it('a branch stays where it was if its person comes back to it with changes in a file that lands', async () => {
    const scene = await ahead();
    scene.git('switch', '-q', '-c', 'elsewhere');
    const PATH = gitThat(`git -C '${scene.top}' switch -q main; echo mine > '${scene.top}/src/app.js'`);
    const place = { ...scene.place, env: { ...scene.place.env, PATH } };
    expect(await followTrunk(place, findTrunk(place, 'main'))).toMatchObject({ kind: 'waits' });
    expect([main(scene), scene.status(), scene.read('src/app.js')]).toEqual([
      scene.base,
      'M src/app.js',
      'mine\n',
    ]);
    scene.git('checkout', '-q', 'src/app.js');
    expect(await scene.follow()).toMatchObject({ kind: 'followed', commit: scene.tip });
  });

  it('a checkout that a crash left half updated follows', async () => {
    const scene = await ahead();
    // Files are written before the index, and the index before the branch.
    scene.write('src/new.js', 'new\n');
    scene.write('src/app.js', 'landed\n');
    expect(await scene.follow()).toMatchObject({ kind: 'followed' });
    expect([main(scene), scene.status()]).toEqual([scene.tip, '']);
    const other = await ahead();
    other.git('read-tree', '-m', '-u', other.base, other.tip);
    expect(await other.follow()).toMatchObject({ kind: 'followed' });
    expect([main(other), other.status()]).toEqual([other.tip, '']);
  });
});

describe('the trunk', () => {
  it('the trunk begins at the branch, and takes in what its person commits on top', async () => {
    const { place, git, write, commit } = await slotRepository();
    const trunk = findTrunk(place, null);
    const first = git('rev-parse', 'main');
    expect(await advanceTrunk(place, trunk)).toMatchObject({ kind: 'same', tip: first, branch: first });
    write('mine.txt', 'x\n');
    const second = commit('Mine');
    expect(await advanceTrunk(place, trunk)).toMatchObject({ kind: 'same', tip: second, branch: second });
    expect(git('rev-parse', 'ralph/main')).toBe(second);
  });

  it('the trunk works in a repository with SHA-256, and with packed refs', async () => {
    const { place, git } = await slotRepository({ init: ['--object-format=sha256'] });
    const trunk = findTrunk(place, null);
    expect(await advanceTrunk(place, trunk)).toMatchObject({ kind: 'same' });
    git('pack-refs', '--all');
    expect(await trunkStanding(place, trunk)).toMatchObject({ kind: 'same' });
  });

  it('a branch named ralph is refused in words', async () => {
    const { place, git } = await slotRepository();
    git('branch', 'ralph');
    await expect(advanceTrunk(place, findTrunk(place, null))).rejects.toThrow(
      /there is a branch ralph; rename it with git branch -m ralph OTHER/,
    );
  });

  it('a checkout on the branch ralph itself is refused in words', async () => {
    const { place, git } = await slotRepository();
    git('branch', '-m', 'main', 'ralph');
    await expect(advanceTrunk(place, findTrunk(place, null))).rejects.toThrow(Refusal);
  });

  it('a detached HEAD is refused unless land.branch names a branch', async () => {
    const { place, git } = await slotRepository();
    git('switch', '-q', '--detach');
    expect(() => findTrunk(place, null)).toThrow(/HEAD is on no branch/);
    expect(await advanceTrunk(place, findTrunk(place, 'main'))).toMatchObject({ kind: 'same' });
    expect(await advanceTrunk(place, findTrunk(place, 'absent'))).toEqual({ kind: 'no_branch' });
  });
});
