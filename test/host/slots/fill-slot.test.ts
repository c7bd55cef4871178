import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NeedsPerson } from '../../../src/domain/refusal.ts';
import { adoptSettings } from '../../../src/host/git/own-git.ts';
import { peekSlot, requireWhole, takeSlot } from '../../../src/host/slots/fill-slot.ts';
import type { Slot } from '../../../src/host/slots/slot.ts';
import { countingGit } from '../../support/counting-git.ts';
import {
  filled,
  slotRepository,
  type TestRepository,
  TRUNK,
  withDyingGit,
  writeIn,
} from '../../support/slots.ts';

/** Git as an agent runs it in its slot. */
const agentGit = (slot: Slot, ...args: string[]): string =>
  execFileSync('git', args, {
    cwd: slot.tree,
    env: { PATH: process.env['PATH'], HOME: slot.tmp },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();

/** Every file below a folder but `.git`, with its content. */
function filesIn(folder: string, prefix = ''): Record<string, string> {
  return Object.assign(
    {},
    ...readdirSync(join(folder, prefix), { withFileTypes: true })
      .filter(({ name }) => name !== '.git')
      .map((entry) => {
        const path = join(prefix, entry.name);
        if (entry.isDirectory()) return filesIn(folder, path);
        return { [path]: entry.isSymbolicLink() ? 'link' : readFileSync(join(folder, path), 'utf8') };
      }),
  );
}

const COMMITTED = {
  'src/app.js': 'one\n',
  'lib/tool.js': 'tool\n',
  '.gitignore': 'ignored.txt\ncache/\n.env\n',
};

const namesIn = ({ git }: TestRepository, tree: string): string[] =>
  git('-c', 'core.quotePath=false', 'ls-tree', '-r', '--name-only', tree).split('\n');

describe('a slot', () => {
  it('a new slot has the files of its commit, and git works in it as in a checkout', async () => {
    const repository = await slotRepository();
    repository.git('config', 'user.name', 'Jürgen "J" Müller');
    const slot = await filled(repository);
    expect(slot.isNew).toBe(true);
    expect(filesIn(slot.tree)).toEqual(COMMITTED);
    expect(agentGit(slot, 'status', '--porcelain')).toBe('');
    expect(agentGit(slot, 'branch', '--show-current')).toBe('task-1');
    expect(agentGit(slot, 'log', '--format=%s', 'origin/main')).toBe('First');
    expect(agentGit(slot, 'config', 'user.name')).toBe('Jürgen "J" Müller');
    writeIn(slot, 'src/app.js', 'two\n');
    agentGit(slot, 'commit', '-qam', 'By the agent');
    expect(() => agentGit(slot, 'push', 'origin', 'HEAD:main')).toThrow('ralph-slots-do-not-push');
    expect(repository.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
  });

  it('a git that dies while it reads the settings for a slot keeps no slot from being filled', async () => {
    const repository = withDyingGit(await slotRepository(), '*precomposeunicode*', 'before');
    repository.write('../armed', '');
    expect(agentGit(await filled(repository), 'config', 'user.name')).toBe('A');
    expect(existsSync(join(repository.folder, 'armed'))).toBe(false);
  });

  it('a repository with SHA-256 has slots', async () => {
    const repository = await slotRepository({ init: ['--object-format=sha256'] });
    const slot = await filled(repository);
    expect(agentGit(slot, 'status', '--porcelain')).toBe('');
    writeIn(slot, 'src/app.js', 'two\n');
    const { tree } = await takeSlot(slot, repository.git('rev-parse', 'HEAD'), []);
    expect(repository.git('show', `${tree}:src/app.js`)).toBe('two');
  });

  it('a slot has the folder of its project, even if nothing in that folder is committed', async () => {
    const repository = await slotRepository({ below: 'apps/new' });
    for (let time = 0; time < 2; time++) expect(readdirSync((await filled(repository)).root)).toEqual([]);
  });

  it('a reused slot keeps ignored files, and nothing else that a session left', async () => {
    const repository = await slotRepository();
    const slot = await filled(repository);
    writeIn(slot, 'src/app.js', 'changed\n');
    rmSync(join(slot.tree, 'lib/tool.js'));
    writeIn(slot, 'untracked/deep/file.txt', 'x\n');
    writeIn(slot, 'cache/kept.txt', 'warm\n');
    writeIn(slot, 'ignored.txt', 'warm\n');
    const again = await filled(repository);
    expect(again.isNew).toBe(false);
    expect(filesIn(slot.tree)).toEqual({ ...COMMITTED, 'cache/kept.txt': 'warm\n', 'ignored.txt': 'warm\n' });
    expect(existsSync(join(slot.tree, 'untracked'))).toBe(false);
    await filled(repository, { isClean: true });
    expect(filesIn(slot.tree)).toEqual(COMMITTED);
  });

  it('a .gitignore that a session changed hides nothing from the next one, and loses no ignored file', async () => {
    const repository = await slotRepository();
    const slot = await filled(repository);
    writeIn(slot, '.gitignore', 'evil.js\n');
    writeIn(slot, 'evil.js', 'evil\n');
    writeIn(slot, 'cache/kept.txt', 'warm\n');
    writeIn(slot, 'lib/.gitignore', 'hidden.js\n');
    writeIn(slot, 'lib/hidden.js', 'evil\n');
    await filled(repository);
    expect(filesIn(slot.tree)).toEqual({ ...COMMITTED, 'cache/kept.txt': 'warm\n' });
  });

  it.each<[string, (slot: Slot, elsewhere: string) => void]>([
    [
      'a folder in the place of a file',
      ({ tree }) => {
        rmSync(join(tree, 'src/app.js'));
        mkdirSync(join(tree, 'src/app.js/deep'), { recursive: true });
        writeFileSync(join(tree, 'src/app.js/deep/x'), 'x');
      },
    ],
    [
      'an ignored file in the place of a folder',
      ({ tree }) => {
        rmSync(join(tree, 'lib'), { recursive: true });
        writeFileSync(join(tree, '.gitignore'), 'lib\n');
        writeFileSync(join(tree, 'lib'), 'x');
      },
    ],
    [
      'a link in the place of a folder',
      ({ tree }, elsewhere) => {
        rmSync(join(tree, 'lib'), { recursive: true });
        symlinkSync(elsewhere, join(tree, 'lib'));
      },
    ],
    [
      'a link in the place of a file',
      ({ tree }, elsewhere) => {
        rmSync(join(tree, 'lib/tool.js'));
        symlinkSync(join(elsewhere, 'tool.js'), join(tree, 'lib/tool.js'));
      },
    ],
    [
      'a link in the place of the tree',
      ({ tree }, elsewhere) => {
        rmSync(tree, { recursive: true });
        symlinkSync(elsewhere, tree);
      },
    ],
    [
      'a link in the place of the whole slot',
      ({ folder }, elsewhere) => {
        rmSync(folder, { recursive: true });
        mkdirSync(join(elsewhere, 'tree'));
        writeFileSync(join(elsewhere, 'tree', 'tool.js'), 'mine\n');
        symlinkSync(elsewhere, folder);
      },
    ],
    [
      'a link in the place of .git',
      ({ tree }, elsewhere) => {
        rmSync(join(tree, '.git'), { recursive: true });
        symlinkSync(elsewhere, join(tree, '.git'));
      },
    ],
    [
      'a link in the place of the temporary folder',
      ({ tmp }, elsewhere) => {
        rmSync(tmp, { recursive: true });
        symlinkSync(elsewhere, tmp);
      },
    ],
    [
      'a nested repository in the place of a file',
      ({ tree }) => {
        rmSync(join(tree, 'src/app.js'));
        execFileSync('git', ['init', '-q', join(tree, 'src/app.js')]);
        writeFileSync(join(tree, 'src/app.js/x'), 'x');
      },
    ],
    ['a damaged index', ({ index }) => writeFileSync(index, 'no index')],
    [
      'a lock of a killed git',
      ({ index, tree }) => {
        writeFileSync(`${index}.lock`, '');
        writeFileSync(join(tree, '.git/index.lock'), '');
      },
    ],
    [
      'a file in the place of the tree',
      ({ tree }) => {
        rmSync(tree, { recursive: true });
        writeFileSync(tree, 'x');
      },
    ],
    [
      'a name that is not UTF-8',
      ({ tree }) => writeFileSync(Buffer.concat([Buffer.from(`${tree}/`), Buffer.from([0xff, 0xfe])]), 'x'),
    ],
    ['a removed .git', ({ tree }) => rmSync(join(tree, '.git'), { recursive: true })],
    [
      'a read-only folder',
      ({ tree, tmp }) => {
        mkdirSync(join(tree, 'untracked'));
        writeFileSync(join(tree, 'untracked/x'), 'x');
        chmodSync(join(tree, 'untracked'), 0o500);
        mkdirSync(join(tmp, 'modules'));
        writeFileSync(join(tmp, 'modules/x'), 'x');
        chmodSync(join(tmp, 'modules'), 0o500);
      },
    ],
  ])('a slot is whole again after a session left %s', async (_, damage) => {
    const repository = await slotRepository();
    const slot = await filled(repository);
    const elsewhere = join(repository.folder, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'tool.js'), 'mine\n');
    damage(slot, elsewhere);
    await filled(repository);
    expect(filesIn(slot.tree)).toEqual(COMMITTED);
    expect(lstatSync(join(slot.tree, '.git')).isDirectory()).toBe(true);
    expect(agentGit(slot, 'status', '--porcelain')).toBe('');
    expect(readdirSync(slot.tmp)).toEqual([]);
    // What is outside the slot is as it was.
    expect(readFileSync(join(elsewhere, 'tool.js'), 'utf8')).toBe('mine\n');
    expect(readdirSync(repository.slots.folder)).toEqual(['work-1']);
  });

  it('a slot that starts from unfinished work shows it as uncommitted changes', async () => {
    const repository = await slotRepository();
    const base = repository.git('rev-parse', 'HEAD');
    repository.write('src/app.js', 'unfinished\n');
    const unfinished = repository.commit('Unfinished');
    repository.git('reset', '-q', '--hard', base);
    const slot = await filled(repository);
    const { fillSlot } = await import('../../../src/host/slots/fill-slot.ts');
    const head = { commit: base, branch: 'task-1', trunk: TRUNK };
    await fillSlot(slot, { head, tree: unfinished, isClean: false });
    expect(agentGit(slot, 'status', '--porcelain')).toBe('M src/app.js');
    expect(agentGit(slot, 'diff', '--stat')).toContain('src/app.js');
  });
});

describe('the work that is taken from a slot', () => {
  it.each<[string, (slot: Slot, repository: TestRepository) => void]>([
    ['assume-unchanged', (slot) => agentGit(slot, 'update-index', '--assume-unchanged', 'src/app.js')],
    ['skip-worktree', (slot) => agentGit(slot, 'update-index', '--skip-worktree', 'src/app.js')],
    ['info/exclude', (slot) => writeFileSync(join(slot.tree, '.git/info/exclude'), 'new.js\n')],
    [
      'a sparse checkout',
      (slot) => {
        agentGit(slot, 'config', 'core.sparseCheckout', 'true');
        writeFileSync(join(slot.tree, '.git/info/sparse-checkout'), '/nothing\n');
      },
    ],
    [
      'its configuration',
      (slot) => {
        agentGit(slot, 'config', 'core.excludesFile', join(slot.tmp, 'ignore'));
        writeFileSync(join(slot.tmp, 'ignore'), 'new.js\n');
        agentGit(slot, 'config', 'core.worktree', '/nonexistent');
      },
    ],
    [
      'a global configuration in the home of the agent',
      (_, { folder }) => {
        writeFileSync(join(folder, '.gitconfig'), `[core]\n\texcludesFile = ${folder}/ignore\n`);
        writeFileSync(join(folder, 'ignore'), 'new.js\n');
      },
    ],
    [
      'an fsmonitor, hooks and filters',
      (slot, { folder }) => {
        const program = join(folder, 'program');
        writeFileSync(program, `#!/bin/sh\ntouch ${folder}/executed\n`, { mode: 0o755 });
        agentGit(slot, 'config', 'core.fsmonitor', program);
        agentGit(slot, 'config', 'filter.evil.clean', program);
        agentGit(slot, 'config', 'filter.evil.smudge', program);
        writeFileSync(join(slot.tree, '.git/info/attributes'), '* filter=evil\n');
        mkdirSync(join(slot.tree, '.git/hooks'), { recursive: true });
        for (const hook of ['post-index-change', 'pre-commit', 'reference-transaction'])
          writeFileSync(join(slot.tree, '.git/hooks', hook), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
      },
    ],
    ['a deleted .git', (slot) => rmSync(join(slot.tree, '.git'), { recursive: true })],
    [
      'a .git of another repository',
      (slot, { folder }) => {
        rmSync(join(slot.tree, '.git'), { recursive: true });
        execFileSync('git', ['init', '-q', join(folder, 'other')]);
        writeFileSync(join(slot.tree, '.git'), `gitdir: ${folder}/other/.git\n`);
      },
    ],
    ['a .git without HEAD', (slot) => rmSync(join(slot.tree, '.git/HEAD'))],
    [
      'a .git that leads nowhere',
      (slot) => {
        rmSync(join(slot.tree, '.git'), { recursive: true });
        writeFileSync(join(slot.tree, '.git'), 'gitdir: /nonexistent\n');
      },
    ],
    ['commits of its own', (slot) => agentGit(slot, 'commit', '-q', '--allow-empty', '-m', 'Mine')],
  ])('the work does not depend on %s', async (_, plant) => {
    const repository = await slotRepository();
    const base = repository.git('rev-parse', 'HEAD');
    const slot = await filled(repository);
    plant(slot, repository);
    writeIn(slot, 'src/app.js', 'two\n');
    writeIn(slot, 'new.js', 'new\n');
    rmSync(join(slot.tree, 'lib/tool.js'));
    const { tree } = await takeSlot(slot, base, []);
    expect(namesIn(repository, tree)).toEqual(['.gitignore', 'new.js', 'src/app.js']);
    expect(repository.git('show', `${tree}:src/app.js`)).toBe('two');
    expect(existsSync(join(repository.folder, 'executed'))).toBe(false);
    // Nor does the next session.
    await filled(repository);
    expect(filesIn(slot.tree)).toEqual(COMMITTED);
    expect(existsSync(join(repository.folder, 'executed'))).toBe(false);
  });

  it('the work holds links, modes and names that are not UTF-8, and no ignored file', async () => {
    const repository = await slotRepository();
    const base = repository.git('rev-parse', 'HEAD');
    const slot = await filled(repository);
    symlinkSync('app.js', join(slot.tree, 'src/link.js'));
    writeFileSync(join(slot.tree, 'src/run.sh'), '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(Buffer.concat([Buffer.from(`${slot.tree}/src/`), Buffer.from([0xff])]), 'x');
    writeIn(slot, 'ignored.txt', 'x\n');
    writeIn(slot, '.ralph/tasks.yaml', 'tasks: []\n');
    const { tree, definitions, left_out } = await takeSlot(slot, base, []);
    const entries = repository.git('ls-tree', '-r', tree, 'src/').replaceAll(/ blob [0-9a-f]+\t/g, ' ');
    expect(entries.split('\n')).toEqual([
      '100644 src/app.js',
      '120000 src/link.js',
      '100755 src/run.sh',
      '100644 "src/\\377"',
    ]);
    expect(namesIn(repository, tree)).not.toContain('ignored.txt');
    expect([definitions, left_out]).toEqual([['.ralph/tasks.yaml'], []]);
  });

  it.each<[string, RegExp, (slot: Slot) => void]>([
    [
      'a nested repository',
      /a git repository of its own in vendor/,
      ({ tree }) => {
        execFileSync('git', ['init', '-q', join(tree, 'vendor')]);
        writeFileSync(join(tree, 'vendor/x'), 'x');
      },
    ],
    [
      'a file over the limit',
      /big\.bin \(101 MB\)/,
      ({ tree }) => {
        writeFileSync(join(tree, 'big.bin'), '');
        truncateSync(join(tree, 'big.bin'), 101 * 2 ** 20);
      },
    ],
  ])('a person hears of %s before a done is proven', async (_, words, leave) => {
    const repository = await slotRepository();
    const slot = await filled(repository);
    leave(slot);
    const taken = await takeSlot(slot, repository.git('rev-parse', 'HEAD'), []);
    expect(() => requireWhole(1, taken, slot)).toThrow(NeedsPerson);
    expect(() => requireWhole(1, taken, slot)).toThrow(words);
    await filled(repository);
    expect(filesIn(slot.tree)).toEqual(COMMITTED);
  });

  it('files that the person ignores stay out of the work, even if a session changes .gitignore', async () => {
    const repository = await slotRepository();
    repository.write('.env', 'TOKEN=1\n');
    await adoptSettings(repository.place);
    const slot = await filled(repository);
    writeIn(slot, '.gitignore', '');
    writeIn(slot, '.env', 'TOKEN=1\n');
    const { tree } = await takeSlot(slot, repository.git('rev-parse', 'HEAD'), []);
    expect(namesIn(repository, tree)).not.toContain('.env');
  });
});

describe('after a look at the work, when the agent said done', () => {
  const looked = async () => {
    const one = await slotRepository();
    const { PATH, calls } = countingGit();
    const slot = await filled(one);
    const base = one.git('rev-parse', 'HEAD');
    writeIn(slot, 'src/new.js', 'new\n');
    const { tree } = await peekSlot(slot, base, []);
    const repository = { ...slot.repository, env: { ...slot.repository.env, PATH } };
    return { one, slot, tree, calls, take: () => takeSlot({ ...slot, repository }, base, []) };
  };

  it('the same files are taken by one process', async () => {
    const { tree, calls, take } = await looked();
    expect((await take()).tree).toBe(tree);
    expect(calls()).toEqual(['ls-files']);
  });

  it('files that changed since are in the work', async () => {
    const { one, slot, take } = await looked();
    writeIn(slot, 'src/new.js', 'newer\n');
    writeIn(slot, 'late.js', 'late\n');
    rmSync(join(slot.tree, 'src/app.js'));
    const { tree } = await take();
    expect(one.git('ls-tree', '-r', '--name-only', tree).split('\n')).toEqual(
      expect.arrayContaining(['late.js', 'src/new.js']),
    );
    expect(one.git('ls-tree', '-r', '--name-only', tree)).not.toContain('src/app.js');
    expect(one.git('cat-file', '-p', `${tree}:src/new.js`)).toBe('newer');
  });

  it('a file that is ignored since is not in the work', async () => {
    const { one, slot, take } = await looked();
    writeIn(slot, '.gitignore', 'new.js\n');
    expect(one.git('ls-tree', '-r', '--name-only', (await take()).tree)).not.toContain('src/new.js');
  });

  it('files that a folder ignores together with its rules are not in the work', async () => {
    const { one, slot, take } = await looked();
    writeIn(slot, 'src/.gitignore', '*\n');
    expect(one.git('ls-tree', '-r', '--name-only', (await take()).tree)).not.toContain('src/new.js');
  });

  it('a file of the same size and age is taken anew', async () => {
    const { one, slot, take } = await looked();
    const file = join(slot.tree, 'src/new.js');
    const { atime, mtime } = statSync(file);
    writeFileSync(file, 'old\n');
    utimesSync(file, atime, mtime);
    expect(one.git('cat-file', '-p', `${(await take()).tree}:src/new.js`)).toBe('old');
  });

  it('a file that the take leaves out is not in the work, although the look took it', async () => {
    const { one, slot } = await looked();
    const { tree } = await takeSlot(slot, one.git('rev-parse', 'HEAD'), ['src/new.js']);
    expect(one.git('ls-tree', '-r', '--name-only', tree)).not.toContain('src/new.js');
  });

  it('the work survives a gc that a person runs in between', async () => {
    const { one, tree, take } = await looked();
    one.git('gc', '-q', '--prune=now');
    expect((await take()).tree).toBe(tree);
    expect(one.git('cat-file', '-p', `${tree}:src/new.js`)).toBe('new');
  });
});
