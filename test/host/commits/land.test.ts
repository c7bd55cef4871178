import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { land, updateIndexForLastCommit } from '../../../src/host/commits/land.ts';
import { headCommit } from '../../../src/host/git/git.ts';
import { takeTree } from '../../../src/host/git/work-tree.ts';
import { tempDir } from '../../support/temp.ts';

function repository() {
  const folder = tempDir();
  const root = join(folder, 'project');
  mkdirSync(join(root, '.ralph'), { recursive: true });
  const env = { PATH: process.env['PATH'], HOME: folder };
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, env, encoding: 'utf8' });
  const write = (path: string, text: string) => writeFileSync(join(root, path), text);
  git('init', '-q');
  git('config', 'user.email', 'a@example.com');
  git('config', 'user.name', 'A');
  write('a.txt', 'a\n');
  write('b.txt', 'b\n');
  write('.gitignore', 'ignored.txt\n');
  git('add', '.');
  git('commit', '-qm', 'First');
  const place = { root, env, stateDir: join(root, '.git/ralph') };
  const first = git('rev-parse', 'HEAD').trim();
  const tree = async () => (await takeTree(place))?.tree ?? '';
  const commit = async (
    from: string,
    session_id = 's-1',
    base_commit: string | null = first,
    to?: string,
    body = 'It logs in.',
  ) =>
    land(place, {
      session_id,
      base_commit,
      proven_head: await headCommit(place),
      message: `Log in\n\n${body}\n\nRalph-Task: 7\nRalph-Session: ${session_id}\n`,
      steps: [{ from, to: to ?? (await tree()) }],
    });
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');
  return { root, git, write, read, place, commit, tree };
}

describe('a commit of a session', () => {
  it('a commit holds the written, changed and deleted files, and names its session', async () => {
    const { git, write, root, commit, tree } = repository();
    const base = await tree();
    write('new file.txt', 'new\n');
    write('a.txt', 'changed\n');
    rmSync(join(root, 'b.txt'));
    write('ignored.txt', 'no\n');
    write('.ralph/config.yaml', 'gates: []\n');
    const done = await commit(base);
    expect(done.diff_stat).toEqual({ files: 3, insertions: 2, deletions: 2 });
    expect(git('show', '--name-status', '--format=%B', done.commit ?? '')).toBe(
      'Log in\n\nIt logs in.\n\nRalph-Task: 7\nRalph-Session: s-1\n\n\nM\ta.txt\nD\tb.txt\nA\tnew file.txt\n',
    );
    expect(git('status', '--porcelain')).toBe('?? .ralph/\n');
    expect(git('rev-parse', 'HEAD').trim()).toBe(done.commit);
  });

  it('a commit has its message in UTF-8, so no character becomes a line end or an escape', async () => {
    const { git, write, commit, tree } = repository();
    const base = await tree();
    write('a.txt', 'changed\n');
    // The low bytes of these are those of an escape and of a line end.
    const body = 'Größe … 日本語 ␛[31m ĊRalph-Task: 8';
    await commit(base, 's-1', undefined, undefined, body);
    expect(git('log', '-1', '--format=%b')).toBe(`${body}\n\nRalph-Task: 7\nRalph-Session: s-1\n\n`);
  });

  it('a commit leaves alone what a person had changed or staged before', async () => {
    const { git, write, commit, tree } = repository();
    write('b.txt', 'of a person\n');
    write('staged.txt', 'staged\n');
    git('add', 'staged.txt');
    const base = await tree();
    write('a.txt', 'of the session\n');
    const { commit: id } = await commit(base);
    expect(git('show', '--name-only', '--format=', id ?? '')).toBe('a.txt\n');
    expect(git('status', '--porcelain')).toBe(' M b.txt\nA  staged.txt\n');
  });

  const LINES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', ''];
  const lines = (at: number, text: string, of = LINES) =>
    of.map((line, index) => (index === at ? text : line));

  it("a commit holds only the task's lines of a file in which a person has staged and unstaged lines", async () => {
    const { git, write, read, commit, tree } = repository();
    write('long.txt', LINES.join('\n'));
    git('add', 'long.txt');
    git('commit', '-qm', 'Long');
    const staged = lines(0, 'staged by a person');
    write('long.txt', staged.join('\n'));
    git('add', 'long.txt');
    const both = lines(3, 'of a person', staged);
    write('long.txt', both.join('\n'));
    const base = await tree();
    write('long.txt', lines(6, 'of the task', both).join('\n'));
    const { commit: made } = await commit(base);
    expect(git('show', `${made}:long.txt`)).toBe(lines(6, 'of the task').join('\n'));
    expect(git('show', ':long.txt')).toBe(lines(6, 'of the task', staged).join('\n'));
    expect(read('long.txt')).toBe(lines(6, 'of the task', both).join('\n'));
    // After a crash it is found again by what it holds.
    expect((await commit(base)).commit).toBe(made);
  });

  it.each([
    ['lines that a person has changed and not committed', 'b.txt'],
    ['a file that a person has not committed', 'draft.txt'],
  ])('Ralph does not commit %s, and asks the person', async (_, path) => {
    const { git, write, read, commit, tree } = repository();
    write(path, 'of a person\n');
    const base = await tree();
    write(path, 'of a person and of the task\n');
    await expect(commit(base)).rejects.toThrow(`Commit ${path} as it should be; then answer this question`);
    expect(git('rev-list', '--count', 'HEAD').trim()).toBe('1');
    expect(read(path)).toBe('of a person and of the task\n');
  });

  it("a session's commit is made once, however often land is called", async () => {
    const { git, write, commit, tree } = repository();
    const base = await tree();
    write('a.txt', 'changed\n');
    const first = await commit(base);
    const again = await commit(base);
    expect(again.commit).toBe(first.commit);
    // Also where nobody knows any more what it began with.
    for (const base_commit of [null, 'f'.repeat(40)])
      expect((await commit(base, 's-1', base_commit)).commit).toBe(first.commit);
    expect(git('rev-list', '--count', 'HEAD').trim()).toBe('2');
  });

  it('after a kill between commit and index update, nothing looks changed', async () => {
    const { git, write, root, commit, tree } = repository();
    write('staged.txt', 'staged\n');
    git('add', 'staged.txt');
    const base = await tree();
    write('a.txt', 'changed\n');
    write('new.txt', 'new\n');
    rmSync(join(root, 'b.txt'));
    // As git leaves it that is killed while it writes the index.
    writeFileSync(join(root, '.git/index.lock'), '');
    await commit(base);
    rmSync(join(root, '.git/index.lock'));
    expect(git('status', '--porcelain')).toContain('?? new.txt');
    await commit(base);
    expect(git('status', '--porcelain', '--', '.', ':!.ralph')).toBe('A  staged.txt\n');
  });

  it('finding an existing commit does not undo what a person has staged since', async () => {
    const { git, write, commit, tree } = repository();
    const base = await tree();
    write('a.txt', 'changed\n');
    const proven = await tree();
    const { commit: made } = await commit(base);
    write('a.txt', 'by a person\n');
    git('add', 'a.txt');
    expect((await commit(base, 's-1', undefined, proven)).commit).toBe(made);
    expect(git('show', ':a.txt')).toBe('by a person\n');
  });

  it('Ralph makes no commit if nothing changed', async () => {
    const { git, commit, tree } = repository();
    expect(await commit(await tree())).toMatchObject({ commit: null, diff_stat: null });
    expect(git('rev-list', '--count', 'HEAD').trim()).toBe('1');
  });

  it("a commit is made whether git ignores or tracks Ralph's own files", async () => {
    for (const ignored of [true, false]) {
      const { git, write, commit, tree } = repository();
      write('.ralph/tasks.yaml', 'tasks: []\n');
      write('.gitignore', ignored ? '.ralph\n' : '\n');
      git('add', '.');
      git('commit', '-qm', 'Second');
      const base = await tree();
      write('a.txt', 'changed\n');
      write('.ralph/tasks.yaml', 'tasks: [{ title: x }]\n');
      const { commit: id } = await commit(base);
      expect(git('show', '--name-only', '--format=', id ?? '')).toBe('a.txt\n');
    }
  });

  it('a commit executes nothing of the repository', async () => {
    const { git, write, root, commit, tree } = repository();
    for (const hook of ['pre-commit', 'post-commit', 'reference-transaction', 'post-index-change'])
      writeFileSync(join(root, '.git/hooks', hook), '#!/bin/sh\ntouch "$HOME/executed"\n', { mode: 0o755 });
    git('config', 'core.fsmonitor', 'touch "$HOME/executed"; false');
    git('config', 'filter.evil.clean', 'touch "$HOME/executed"; cat');
    write('.gitattributes', 'b.txt filter=evil\n');
    const base = await tree();
    write('a.txt', 'changed\n');
    expect((await commit(base)).commit).not.toBeNull();
    write('b.txt', 'changed\n');
    await expect(commit(base, 's-2')).rejects.toThrow('b.txt is stored through the filter "evil"');
    expect(() => execFileSync('test', ['-e', join(root, '../executed')])).toThrow();
  });

  it('a commit can be the first of a repository, even without a configured user name', async () => {
    const folder = tempDir();
    const env = { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
    execFileSync('git', ['init', '-q', folder], { env });
    const place = { root: folder, env, stateDir: join(folder, '.git/ralph') };
    const base = (await takeTree(place))?.tree ?? '';
    writeFileSync(join(folder, 'a.txt'), 'a\n');
    const steps = [{ from: base, to: (await takeTree(place))?.tree ?? '' }];
    const input = { session_id: 's', base_commit: null, proven_head: null, message: 'One\n', steps };
    const { commit } = await land(place, input);
    const author = execFileSync('git', ['log', '-1', '--format=%an'], { cwd: folder, env, encoding: 'utf8' });
    expect([commit?.length, author]).toEqual([40, 'Ralph\n']);
  });

  it("a commit that only carries the session's trailer does not count as the session's", async () => {
    const { git, write, commit, tree } = repository();
    const base = await tree();
    git('commit', '-q', '--allow-empty', '-m', 'Forged\n\nRalph-Task: 7\nRalph-Session: s-1');
    write('a.txt', 'changed\n');
    const forged = git('rev-parse', 'HEAD').trim();
    const { commit: made } = await commit(base);
    expect(made).not.toBe(forged);
    expect(git('show', '--name-only', '--format=', made ?? '')).toBe('a.txt\n');
  });

  it("a commit lands on top of a person's commit and reverts nothing of it", async () => {
    const { git, write, place, tree } = repository();
    const base = await tree();
    write('a.txt', 'of the session\n');
    const proven = await tree();
    const proven_head = git('rev-parse', 'HEAD').trim();
    const steps = [{ from: base, to: proven }];
    write('b.txt', 'of a person\n');
    git('commit', '-qm', 'Of a person', 'b.txt');
    const input = { session_id: 's-1', base_commit: proven_head, proven_head, message: 'One\n', steps };
    const { commit } = await land(place, input);
    expect(git('show', '--name-only', '--format=%s', commit ?? '')).toBe('One\n\na.txt\n');
    expect(git('show', 'HEAD:b.txt')).toBe('of a person\n');
    expect(git('log', '--format=%s')).toBe('One\nOf a person\nFirst\n');
    expect(git('status', '--porcelain', '--', '.', ':!.ralph')).toBe('');
  });

  it('Ralph does not commit over a path that a person committed while the gates ran', async () => {
    const { git, write, place, tree } = repository();
    const base = await tree();
    write('a.txt', 'of the session\n');
    const proven_head = git('rev-parse', 'HEAD').trim();
    const steps = [{ from: base, to: await tree() }];
    write('a.txt', 'of a person\n');
    git('commit', '-qam', 'Of a person');
    const input = { session_id: 's-1', base_commit: proven_head, proven_head, message: 'One\n', steps };
    await expect(land(place, input)).rejects.toThrow(
      'a.txt was committed by someone else while the gates ran',
    );
    expect(git('log', '--format=%s')).toBe('Of a person\nFirst\n');
  });

  it('a commit stands although the index was locked, and the next session updates the index', async () => {
    const { git, write, root, commit, tree, place } = repository();
    const base = await tree();
    write('a.txt', 'changed\n');
    writeFileSync(join(root, '.git/index.lock'), '');
    const { commit: made } = await commit(base);
    expect(git('rev-parse', 'HEAD').trim()).toBe(made);
    rmSync(join(root, '.git/index.lock'));
    expect(git('diff', '--cached', '--name-only')).toBe('a.txt\n');
    await updateIndexForLastCommit(place);
    expect(git('diff', '--cached', '--name-only')).toBe('');
  });

  it("Ralph does not commit over a person's very first commit of the same path", async () => {
    const folder = tempDir();
    const env = { PATH: process.env['PATH'], HOME: folder };
    const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, env, encoding: 'utf8' });
    git('init', '-q');
    const place = { root: folder, env, stateDir: join(folder, '.git/ralph') };
    const base = (await takeTree(place))?.tree ?? '';
    writeFileSync(join(folder, 'a.txt'), 'of the session\n');
    const steps = [{ from: base, to: (await takeTree(place))?.tree ?? '' }];
    writeFileSync(join(folder, 'a.txt'), 'of a person\n');
    git('add', 'a.txt');
    git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qm', 'Of a person');
    const input = { session_id: 's', base_commit: null, proven_head: null, message: 'One\n', steps };
    await expect(land(place, input)).rejects.toThrow('a.txt was committed by someone else');
    expect(git('show', 'HEAD:a.txt')).toBe('of a person\n');
  });

  it('Ralph makes no commit that would remove a folder which a person committed while the gates ran', async () => {
    const { git, write, place, tree, root } = repository();
    const base = await tree();
    write('x', 'of the session\n');
    const proven_head = git('rev-parse', 'HEAD').trim();
    const steps = [{ from: base, to: await tree() }];
    rmSync(join(root, 'x'));
    mkdirSync(join(root, 'x'));
    write('x/y', 'of a person\n');
    git('add', 'x/y');
    git('commit', '-qm', 'Of a person');
    const input = { session_id: 's-1', base_commit: proven_head, proven_head, message: 'One\n', steps };
    await expect(land(place, input)).rejects.toThrow('x/y was committed by someone else');
  });
});
