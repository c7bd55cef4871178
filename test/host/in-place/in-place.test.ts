import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dirtyText, lookAtCheckout } from '../../../src/host/in-place/checkout.ts';
import { inPlace } from '../../support/in-place.ts';
import { DONE } from '../../support/landing.ts';
import { slotRepository, type TestRepository } from '../../support/slots.ts';

const subjects = ({ git }: TestRepository): string =>
  git('log', '--reverse', '--name-only', '--format=%x01%s')
    .split('\x01')
    .slice(1)
    .map((one) => one.trim().replace(/\n+/g, ' '))
    .join('|');

describe('a clean checkout', () => {
  it("ignored files and Ralph's own do not count, and every other change is named", async () => {
    const repository = await slotRepository();
    const { checkout } = await inPlace(repository);
    const head = repository.git('rev-parse', 'HEAD');
    repository.write('ignored.txt', 'x');
    repository.write('.ralph/features.yaml', 'features: []\n');
    repository.git('add', '.ralph');
    expect(await lookAtCheckout(checkout)).toEqual({ kind: 'clean', base: head });
    repository.write('new.txt', 'x');
    repository.write('src/app.js', 'two\n');
    // Staged, and put back in the file: only the index has it.
    repository.write('lib/tool.js', 'staged\n');
    repository.git('add', 'lib/tool.js');
    repository.write('lib/tool.js', 'tool\n');
    const found = await lookAtCheckout(checkout);
    expect(found).toEqual({ kind: 'dirty', files: ['lib/tool.js', 'new.txt', 'src/app.js'] });
    expect(repository.git('show', ':lib/tool.js')).toBe('staged');
    expect(dirtyText(['a', 'b', 'c', 'd'])).toContain('these files are not committed: a, b, c and 1 more.');
  });

  it('in a subfolder of the repository only the files of the project count', async () => {
    const repository = await slotRepository({ below: 'src' });
    const { start, land } = await inPlace(repository);
    repository.write('lib/tool.js', 'of a person\n');
    const session = await start(1);
    repository.write('src/new.js', 'new\n');
    await land(session);
    expect(subjects(repository)).toBe('First .gitignore lib/tool.js src/app.js|Task 1 src/new.js');
    expect(repository.git('status', '--porcelain')).toBe('M lib/tool.js');
  });

  it('files that a filter stores, that a sparse checkout lacks or that Ralph writes are no changes, and are in no commit', async () => {
    const repository = await slotRepository();
    repository.write('.gitattributes', '*.bin filter=lfs\n');
    repository.write('big.bin', 'pointer\n');
    repository.write('far/away.txt', 'away\n');
    repository.write('TODO.md', 'one\n');
    repository.commit('Second');
    repository.git('sparse-checkout', 'set', '--no-cone', '/*', '!/far/');
    repository.write('big.bin', 'the content\n');
    repository.write('TODO.md', 'two\n');
    const { start, land } = await inPlace(repository, { ownFiles: ['TODO.md'] });
    const session = await start(1);
    repository.write('src/app.js', 'two\n');
    repository.write('TODO.md', 'three\n');
    await land(session);
    expect(repository.git('show', '--name-only', '--format=%s', 'HEAD')).toBe('Task 1\n\nsrc/app.js');
    expect(repository.git('show', 'HEAD:far/away.txt')).toBe('away');
    // An agent that makes git overlook a file has removed it all the same.
    const hidden = await start(3);
    repository.git('update-index', '--skip-worktree', 'lib/tool.js');
    rmSync(join(repository.top, 'lib/tool.js'));
    await land(hidden);
    expect(repository.git('show', '--name-status', '--format=', 'HEAD')).toBe('D\tlib/tool.js');
    const next = await start(2);
    repository.write('big.bin', 'another content\n');
    await expect(land(next)).rejects.toThrow('big.bin is stored through the filter "lfs"');
  });
});

describe('a commit in place', () => {
  it('it holds the judged tree on top of HEAD, and index and files agree with it', async () => {
    const repository = await slotRepository();
    const refs = 'git for-each-ref --format="%(refname)" refs/ralph/work > ../refs; echo left > by-gate.txt';
    const { start, land } = await inPlace(repository, { gate: refs });
    const session = await start(7);
    repository.write('src/app.js', 'two\n');
    repository.write('new file.txt', 'new\n');
    repository.git('rm', '-q', 'lib/tool.js');
    const { work } = await land(session);
    const { id } = session.claim.session;
    expect(repository.git('log', '-1', '--format=%B%n%T')).toBe(
      `Task 7\n\nBuilt.\n\nRalph-Task: 7\nRalph-Session: ${id}\n\n${work?.tree_hash}`,
    );
    expect(work).toMatchObject({ commit: repository.git('rev-parse', 'HEAD'), diff_stat: { files: 3 } });
    // The ref held the work before the gate ran, and what the gate left is in no commit.
    expect(repository.read('../refs')).toBe(`refs/ralph/work/${id}\n`);
    expect(repository.git('status', '--porcelain')).toBe('?? by-gate.txt');
    await expect(start(8)).rejects.toThrow('dirty: by-gate.txt');
  });

  it('commits that appeared during the session stay below it, and are the work if they hold all of it', async () => {
    const repository = await slotRepository();
    const { start, land } = await inPlace(repository);
    const first = await start(1);
    repository.write('a.txt', 'a\n');
    repository.commit('By an agent or a person');
    repository.write('b.txt', 'b\n');
    await land(first);
    const second = await start(2);
    repository.write('c.txt', 'c\n');
    const commit = repository.commit('All of it');
    expect((await land(second)).work).toMatchObject({ commit });
    expect(subjects(repository)).toContain('By an agent or a person a.txt|Task 1 b.txt|All of it c.txt');
    expect(repository.git('status', '--porcelain')).toBe('');
  });

  it.each([
    ['left its branch', 'switch -qc other'],
    ['moved back behind its start', 'reset -q --soft HEAD~1'],
  ])('a checkout that %s is a question to the person, and nothing is committed', async (_, command) => {
    const repository = await slotRepository();
    repository.write('second.txt', 'x');
    repository.commit('Second');
    const { start, land, leave } = await inPlace(repository);
    const session = await start(1);
    repository.write('src/app.js', 'two\n');
    repository.git(...command.split(' '));
    const head = repository.git('rev-parse', 'HEAD');
    await expect(land(session)).rejects.toThrow('or moved back behind it, so Ralph commits nothing');
    await leave(session);
    expect(repository.git('rev-parse', 'HEAD')).toBe(head);
    // The work is held, and the files stay for the person to look at.
    expect(repository.git('show', 'refs/ralph/task-1:src/app.js')).toBe('two');
    expect(repository.read('src/app.js')).toBe('two\n');
  });

  it('a commit of a person while the gates run is not undone: the work waits for the next session', async () => {
    const repository = await slotRepository();
    const gate =
      'test -e ../ran || { touch ../ran; echo p > person.txt; git add person.txt; git commit -qm Person; }';
    const { start, land, leave } = await inPlace(repository, { gate });
    const session = await start(1);
    repository.write('src/app.js', 'two\n');
    await expect(land(session)).rejects.toThrow('the branch moved while the gates ran');
    await leave(session);
    expect(repository.read('src/app.js')).toBe('one\n');
    const again = await start(1);
    expect(again.opened.earlier).toEqual({ kind: 'restored' });
    await land(again);
    expect(subjects(repository)).toContain('|Person person.txt|Task 1 src/app.js');
  });

  it('a crash after the commit is told by its trailer, and the index is completed before the next session', async () => {
    const repository = await slotRepository();
    const { start, land, verifier } = await inPlace(repository);
    const session = await start(1);
    repository.write('src/app.js', 'two\n');
    repository.write('new.txt', 'new\n');
    repository.git('read-tree', 'HEAD');
    writeFileSync(join(repository.top, '.git/index.lock'), '');
    const { work } = await land(session);
    expect(repository.git('log', '-1', '--format=%s')).toBe('Task 1');
    expect(await verifier.landedCommit(session.claim)).toBe(work?.commit);
    rmSync(join(repository.top, '.git/index.lock'));
    expect(repository.git('status', '--porcelain')).not.toBe('');
    await start(2);
    expect(repository.git('status', '--porcelain')).toBe('');
  });

  it("one with Ralph's trailer that the agent wrote proves nothing, neither now nor after a crash", async () => {
    const repository = await slotRepository();
    const gate = 'grep -q two src/app.js';
    const { start, land, verifier } = await inPlace(repository, { gate });
    const session = await start(1);
    const forge = (): string => repository.commit(`Task 1\n\nRalph-Session: ${session.claim.session.id}\n`);
    repository.write('src/app.js', 'not it\n');
    forge();
    expect(await land(session)).toMatchObject({ gates: [{ passed: false }], work: null });
    const next = await inPlace(repository, { gate, isRecovery: true });
    expect(await next.land(session)).toMatchObject({ gates: [{ passed: false }], work: null });
    // The gates would see other files than the commit has.
    const other = await start(2);
    repository.write('src/app.js', 'three\n');
    repository.commit(`Task 2\n\nRalph-Session: ${other.claim.session.id}\n`);
    repository.write('src/app.js', 'two\n');
    expect(await next.verifier.runGates(other.claim, DONE)).toMatchObject([{ passed: true }]);
    expect(await next.verifier.landedCommit(other.claim)).toBeNull();
    expect(await verifier.landedCommit(other.claim)).toBeNull();
  });
});

describe('unfinished work in place', () => {
  it('it leaves the checkout, and comes back merged onto what was committed meanwhile', async () => {
    const repository = await slotRepository();
    const { start, land, leave } = await inPlace(repository);
    const first = await start(1);
    repository.write('src/app.js', 'mine\n');
    repository.write('deep/new.txt', 'new\n');
    repository.git('rm', '-q', 'lib/tool.js');
    repository.git('add', '-A');
    await leave(first);
    expect(repository.git('status', '--porcelain')).toBe('');
    const other = await start(2);
    repository.write('other.txt', 'other\n');
    await land(other);
    const again = await start(1);
    expect(again.opened.earlier).toEqual({ kind: 'restored' });
    expect(repository.read('deep/new.txt')).toBe('new\n');
    await land(again);
    expect(subjects(repository)).toContain('|Task 2 other.txt|Task 1 deep/new.txt lib/tool.js src/app.js');
  });

  it('conflicts are in the files with both versions, and their markers are never committed', async () => {
    const repository = await slotRepository();
    const { start, land, leave } = await inPlace(repository);
    const first = await start(1);
    repository.write('src/app.js', 'mine\n');
    await leave(first);
    repository.write('src/app.js', 'theirs\n');
    repository.commit('Theirs');
    const again = await start(1);
    expect(again.opened.earlier).toMatchObject({ kind: 'conflicts', paths: ['src/app.js'] });
    expect(repository.read('src/app.js')).toMatch(/<<<<<<<[\s\S]*theirs[\s\S]*mine/);
    const { gates, work } = await land(again);
    expect([gates[0]?.name, work]).toEqual(['conflict markers', null]);
  });

  it('a git without merge-tree gives it back only where it was, and otherwise leaves it in its ref', async () => {
    const repository = await slotRepository();
    const bin = join(repository.folder, 'bin');
    mkdirSync(bin);
    const old =
      '#!/bin/sh\nfor a; do [ "$a" = version ] && { echo git version 2.30.2; exit; }; [ "$a" = merge-tree ] && exit 129; done\n';
    const real = (process.env['PATH'] ?? '').replace(/"/g, '');
    writeFileSync(join(bin, 'git'), `${old}PATH="${real}" exec git "$@"\n`);
    chmodSync(join(bin, 'git'), 0o755);
    const place = { ...repository.place, env: { ...repository.place.env, PATH: `${bin}:${real}` } };
    const { start, leave } = await inPlace({ place });
    const first = await start(1);
    repository.write('src/app.js', 'mine\n');
    await leave(first);
    const second = await start(1);
    expect([second.opened.earlier.kind, repository.read('src/app.js')]).toEqual(['restored', 'mine\n']);
    await leave(second);
    repository.write('theirs.txt', 'x');
    repository.commit('Theirs');
    const third = await start(1);
    expect([third.opened.earlier.kind, repository.read('src/app.js')]).toEqual(['left', 'one\n']);
    expect(repository.git('show', 'refs/ralph/task-1:src/app.js')).toBe('mine');
  });

  it('what a killed run left, whole or half moved, is cleaned by Ralph, unless a person has changed it since', async () => {
    const repository = await slotRepository();
    const { start, verifier, checkout } = await inPlace(repository);
    const session = await start(1);
    repository.write('src/app.js', 'mine\n');
    repository.write('new.txt', 'new\n');
    await verifier.saveUnfinished(session.claim);
    repository.write('src/app.js', 'mine\nand of a person\n');
    expect(await lookAtCheckout(checkout)).toEqual({ kind: 'dirty', files: ['new.txt', 'src/app.js'] });
    expect(repository.read('src/app.js')).toBe('mine\nand of a person\n');
    // Half taken out: one file is as it was before, the other as the session left it.
    repository.write('src/app.js', 'one\n');
    expect((await lookAtCheckout(checkout)).kind).toBe('clean');
    expect(repository.read('new.txt')).toBeNull();
    expect(repository.git('show', 'refs/ralph/task-1:new.txt')).toBe('new');
  });

  it('a file that changed after the work was taken stays as it is', async () => {
    const repository = await slotRepository();
    const { start, verifier, leave } = await inPlace(repository);
    const session = await start(1);
    repository.write('src/app.js', 'mine\n');
    repository.write('mine.txt', 'mine\n');
    await verifier.isUnchanged(session.claim);
    repository.write('src/app.js', 'of a person\n');
    await leave(session);
    expect(repository.read('src/app.js')).toBe('of a person\n');
    expect(repository.git('show', 'refs/ralph/task-1:src/app.js')).toBe('mine');
  });

  it('a nested repository, which no tree can hold, is a question to the person and stays', async () => {
    const repository = await slotRepository();
    const { start, land } = await inPlace(repository);
    const session = await start(1);
    repository.write('scaffold/file.txt', 'x');
    repository.git('init', '-q', 'scaffold');
    await expect(land(session)).rejects.toThrow('Task 1 left a git repository of its own in scaffold');
    expect(repository.read('scaffold/file.txt')).toBe('x');
  });
});

describe('work that stays uncommitted', () => {
  it('commit: never leaves it for the person, and later sessions build on it', async () => {
    const repository = await slotRepository();
    const { start, land, leave } = await inPlace(repository, { config: { commit: 'never' } });
    const first = await start(1);
    repository.write('a.txt', 'a\n');
    expect((await land(first)).work).toMatchObject({ commit: null });
    // No ref but Ralph's own holds it.
    repository.git('gc', '-q', '--prune=now');
    const second = await start(2);
    repository.write('b.txt', 'b\n');
    await leave(second);
    expect([repository.read('a.txt'), repository.read('b.txt')]).toEqual(['a\n', null]);
    expect(repository.git('diff', '--name-only', 'refs/ralph/task-2~', 'refs/ralph/task-2')).toBe('b.txt');
    repository.write('mine.txt', 'of a person\n');
    await expect(start(2)).rejects.toThrow('dirty: mine.txt');
    repository.commit('A person commits everything');
    const again = await start(2);
    expect(repository.read('b.txt')).toBe('b\n');
    await land(again);
    expect(repository.git('status', '--porcelain')).toBe('?? b.txt');
  });

  it('commit: agent wants what was proven in the commits of the agent', async () => {
    const repository = await slotRepository();
    const { start, land, leave } = await inPlace(repository, { config: { commit: 'agent' } });
    const first = await start(1);
    repository.write('a.txt', 'a\n');
    const commit = repository.commit('The agent');
    expect((await land(first)).work).toMatchObject({ commit });
    const second = await start(2);
    repository.write('b.txt', 'b\n');
    await expect(land(second)).rejects.toThrow(
      'Task 2 is proven with b.txt, but the agent has not committed',
    );
    await leave(second);
    expect(repository.git('status', '--porcelain')).toBe('');
  });
});
