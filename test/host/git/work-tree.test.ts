import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { treeChanges } from '../../../src/host/git/diff.ts';
import { ownFolder } from '../../../src/host/git/own-folder.ts';
import { adoptSettings } from '../../../src/host/git/own-git.ts';
import { changesBetween } from '../../../src/host/git/tree-changes.ts';
import { takeTree } from '../../../src/host/git/work-tree.ts';
import { resetIndex } from '../../../src/host/in-place/index-entries.ts';
import { moveFiles } from '../../../src/host/in-place/move-files.ts';
import { landCommit } from '../../../src/host/landing/land-commit.ts';
import { tempDir } from '../../support/temp.ts';

async function repository() {
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
  write('src/app.js', 'old\n');
  write('other/file.txt', 'old\n');
  write('.gitignore', 'ignored.txt\n');
  git('add', '.');
  git('commit', '-qm', 'First');
  const place = { root, env, stateDir: join(root, '.git/ralph') };
  await adoptSettings(place);
  const taken = async () => {
    const found = await takeTree(place);
    if (found === null) throw new Error('There is no repository.');
    return found;
  };
  /** As a clone would hold it. */
  const files = async (): Promise<string> => git('ls-tree', '-r', '--name-only', (await taken()).tree);
  return { folder, root, env, git, write, place, taken, files };
}

describe('the tree that is judged', () => {
  it.each<[string, (git: (...args: string[]) => string, root: string, folder: string) => void]>([
    ['assume-unchanged flags', (git) => git('update-index', '--assume-unchanged', 'src/app.js')],
    ['skip-worktree flags', (git) => git('update-index', '--skip-worktree', 'src/app.js')],
    ['core.ignoreStat', (git) => git('config', 'core.ignoreStat', 'true')],
    [
      'core.checkStat and core.trustctime',
      (git) => {
        git('config', 'core.checkStat', 'minimal');
        git('config', 'core.trustctime', 'false');
      },
    ],
    ['core.fsmonitor', (git) => git('config', 'core.fsmonitor', 'true')],
    ['a sparse checkout', (git) => git('config', 'core.sparseCheckout', 'true')],
  ])('the tree holds a changed file that the agent hid by %s', async (_, hide) => {
    const { git, root, folder, write, taken } = await repository();
    await taken();
    hide(git, root, folder);
    write('src/app.js', 'new\n');
    // As long as it was, and as old: only the time of the change itself tells.
    utimesSync(join(root, 'src/app.js'), new Date(0), new Date(0));
    const { tree } = await taken();
    expect(git('show', `${tree}:src/app.js`)).toBe('new\n');
  });

  it.each<[string, (git: (...args: string[]) => string, root: string, folder: string) => void]>([
    ['info/exclude', (_, root) => writeFileSync(join(root, '.git/info/exclude'), 'new.js\n')],
    [
      'core.excludesFile',
      (git, _, folder) => {
        writeFileSync(join(folder, 'hidden'), 'new.js\n');
        git('config', 'core.excludesFile', join(folder, 'hidden'));
      },
    ],
    [
      "the person's own ignore file",
      (_, __, folder) => {
        mkdirSync(join(folder, '.config/git'), { recursive: true });
        writeFileSync(join(folder, '.config/git/ignore'), 'new.js\n');
      },
    ],
  ])('the tree holds a new file that the agent hid by %s', async (_, hide) => {
    const { git, root, folder, write, files } = await repository();
    hide(git, root, folder);
    write('new.js', 'new\n');
    expect(await files()).toContain('new.js\n');
  });

  it('the tree leaves out files that a person had excluded before the session', async () => {
    const { root, write, place, files } = await repository();
    writeFileSync(join(root, '.git/info/exclude'), 'notes.txt\n');
    await adoptSettings(place);
    write('notes.txt', 'private\n');
    write('ignored.txt', 'ignored\n');
    expect(await files()).toBe('.gitignore\nother/file.txt\nsrc/app.js\n');
  });

  it('Ralph keeps file names that are not UTF-8 byte for byte, and restores them unchanged', async () => {
    const { root, git, place, taken } = await repository();
    const before = await taken();
    const name = Buffer.from([0x61, 0xff, 0xfe, 0x2e, 0x74]);
    const path = Buffer.concat([Buffer.from(`${root}/`), name]);
    writeFileSync(path, 'x\n');
    const after = await taken();
    const listed = execFileSync('git', ['ls-tree', '-z', '--name-only', after.tree], { cwd: root });
    expect(listed.includes(name)).toBe(true);
    await moveFiles(place, after.tree, before.tree);
    expect(existsSync(path)).toBe(false);
    await moveFiles(place, before.tree, after.tree);
    expect(readFileSync(path, 'utf8')).toBe('x\n');
    expect(git('status', '--porcelain')).toBe('?? "a\\377\\376.t"\n');
  });

  it('the tree lists a nested repository as left out, with or without commits, and holds no link to it', async () => {
    const { git, write, taken } = await repository();
    write('bare/file.txt', 'x\n');
    git('init', '-q', 'bare');
    git('clone', '-q', '.', 'cloned');
    const { tree, left_out } = await taken();
    expect(left_out.map(({ path, why }) => [path, why])).toEqual([
      ['bare', 'repository'],
      ['cloned', 'repository'],
    ]);
    expect(git('ls-tree', '-r', tree)).not.toContain('160000');
  });

  it('the tree changes for a submodule only with the files inside it', async () => {
    const { git, root, taken } = await repository();
    git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', root, 'lib');
    git('commit', '-qm', 'Add lib');
    const before = await taken();
    expect(Object.keys(before.submodules)).toEqual(['lib']);
    writeFileSync(join(root, 'lib/src/app.js'), 'changed\n');
    const after = await taken();
    expect([after.tree, after.submodules['lib']]).not.toEqual([before.tree, before.submodules['lib']]);
    expect(after.tree).toBe(before.tree);
  });

  it('Ralph takes the tree again if its cached index was damaged', async () => {
    const { place, taken } = await repository();
    const { tree } = await taken();
    writeFileSync(join(ownFolder(place), 'index'), 'no index');
    expect((await taken()).tree).toBe(tree);
  });

  it("the tree leaves out a person's ignored file although the agent rewrites .gitignore", async () => {
    const { write, place, files } = await repository();
    write('ignored.txt', 'private\n');
    write('odd [x] #1.log', 'private\n');
    write('.gitignore', 'ignored.txt\n*.log\n');
    await adoptSettings(place);
    write('.gitignore', 'dist/\n');
    write('new.txt', 'new\n');
    expect(await files()).toBe('.gitignore\nnew.txt\nother/file.txt\nsrc/app.js\n');
  });

  it.each<[string, string]>([
    ['a link stands in the place of a folder', 'rm -r src; ln -s /etc src'],
    ['a pipe stands in the place of a file', 'rm src/app.js; mkfifo src/app.js'],
  ])('Ralph takes the tree where %s', async (_, change) => {
    const { root, taken, git } = await repository();
    mkdirSync(join(root, '../elsewhere'));
    execFileSync('sh', ['-c', change], { cwd: root });
    const { tree } = await taken();
    expect(git('ls-tree', '-r', '--name-only', tree)).not.toContain('src/app.js');
  });

  it('Ralph takes the tree if a setting of the repository has no value', async () => {
    const { root, place, taken } = await repository();
    appendFileSync(join(root, '.git/config'), '[core]\n\tautocrlf\n');
    await adoptSettings(place);
    expect((await taken()).tree).toMatch(/^[0-9a-f]{40}$/);
  });

  it('the tree drops a file that .gitignore names since', async () => {
    const { write, files } = await repository();
    write('build.out', 'x\n');
    expect(await files()).toContain('build.out');
    write('.gitignore', 'build.out\n');
    expect(await files()).not.toContain('build.out');
  });
});

describe('git as Ralph runs it', () => {
  /** Every place where a repository, or what lies in it, can name something that git would execute. */
  const PLANTS: readonly [
    string,
    (plant: { git: (...args: string[]) => string; root: string; run: string }) => void,
  ][] = [
    [
      'hooks',
      ({ root, run }) => {
        mkdirSync(join(root, '.git/hooks'), { recursive: true });
        for (const hook of [
          'pre-commit',
          'commit-msg',
          'prepare-commit-msg',
          'post-commit',
          'post-checkout',
          'post-index-change',
          'post-rewrite',
          'reference-transaction',
          'fsmonitor-watchman',
        ])
          writeFileSync(join(root, '.git/hooks', hook), `#!/bin/sh\n${run}\n`, { mode: 0o755 });
      },
    ],
    [
      'a path of hooks',
      ({ git, root, run }) => {
        mkdirSync(join(root, '.hooks'));
        writeFileSync(join(root, '.hooks/reference-transaction'), `#!/bin/sh\n${run}\n`, { mode: 0o755 });
        git('config', 'core.hooksPath', '.hooks');
      },
    ],
    ['a file system monitor', ({ git, run }) => git('config', 'core.fsmonitor', `${run}; false`)],
    [
      'clean and smudge filters',
      ({ git, root, run }) => {
        git('config', 'filter.evil.clean', `${run}; cat`);
        git('config', 'filter.evil.smudge', `${run}; cat`);
        writeFileSync(join(root, '.git/info/attributes'), '* filter=evil\n');
      },
    ],
    [
      'a filter process',
      ({ git, root, run }) => {
        git('config', 'filter.evil.process', run);
        writeFileSync(join(root, '.gitattributes'), '* filter=evil\n');
      },
    ],
    ['an external diff', ({ git, run }) => git('config', 'diff.external', `${run};:`)],
    [
      'a diff driver',
      ({ git, root, run }) => {
        git('config', 'diff.evil.command', `${run};:`);
        git('config', 'diff.evil.textconv', `${run};cat`);
        writeFileSync(join(root, '.gitattributes'), '* diff=evil\n');
      },
    ],
    [
      'a merge driver',
      ({ git, root, run }) => {
        git('config', 'merge.evil.driver', run);
        writeFileSync(join(root, '.gitattributes'), '* merge=evil\n');
      },
    ],
    [
      'pagers and editors',
      ({ git, run }) => {
        for (const key of [
          'core.pager',
          'pager.diff',
          'pager.show',
          'pager.log',
          'core.editor',
          'sequence.editor',
        ])
          git('config', key, `${run};cat`);
      },
    ],
    [
      'a signing program',
      ({ git, run, root }) => {
        const program = join(root, '../sign.sh');
        writeFileSync(program, `#!/bin/sh\n${run}\n`, { mode: 0o755 });
        git('config', 'gpg.program', program);
        git('config', 'commit.gpgSign', 'true');
        git('config', 'log.showSignature', 'true');
      },
    ],
    [
      'an included file',
      ({ git, root, run }) => {
        writeFileSync(join(root, '../more'), `[core]\n\tfsmonitor = "${run}; false"\n`);
        git('config', 'include.path', join(root, '../more'));
      },
    ],
    ['trailer commands', ({ git, run }) => git('config', 'trailer.sign.command', run)],
    [
      'aliases',
      ({ git, run }) => {
        for (const name of ['ls-files', 'write-tree', 'diff', 'log'])
          git('config', `alias.${name}`, `!${run}`);
      },
    ],
    [
      'credentials, ssh and proxies',
      ({ git, run }) => {
        git('config', 'credential.helper', `!${run}`);
        git('config', 'core.sshCommand', run);
        git('config', 'core.gitProxy', run);
        git('config', 'core.askPass', run);
      },
    ],
    ['commands of alternates', ({ git, run }) => git('config', 'core.alternateRefsCommand', run)],
    [
      'a configuration of its work tree',
      ({ git, root, run }) => {
        git('config', 'extensions.worktreeConfig', 'true');
        writeFileSync(join(root, '.git/config.worktree'), `[core]\n\tfsmonitor = "${run}; false"\n`);
      },
    ],
    [
      'a repository within',
      ({ git, root, run }) => {
        git('init', '-q', 'inner');
        writeFileSync(join(root, 'inner/a'), 'a');
        git('-C', 'inner', 'config', 'core.fsmonitor', `${run}; false`);
      },
    ],
  ];

  it.each(PLANTS)("Ralph's git executes nothing of %s", async (_, plant) => {
    const { git, root, folder, write, place, taken } = await repository();
    const before = await taken();
    const head = git('rev-parse', 'HEAD').trim();
    plant({ git, root, run: `touch ${join(folder, 'executed')}` });
    write('src/app.js', 'new\n');
    await adoptSettings(place);
    const after = await taken();
    await treeChanges(place, before.tree, after.tree);
    await moveFiles(place, after.tree, before.tree);
    await moveFiles(place, before.tree, after.tree);
    const landing = { tip: head, tree: after.tree, message: 'One\n', signing: null, onUnsigned: () => {} };
    const commit = await landCommit(place, { ref: git('symbolic-ref', 'HEAD').trim() }, landing);
    await resetIndex(place, commit ?? head);
    expect(existsSync(join(folder, 'executed'))).toBe(false);
  });

  it("Ralph's git fetches no missing object of a partial clone, and runs no command for it", async () => {
    const { git, root, folder, write, place } = await repository();
    const run = `touch ${join(folder, 'executed')}`;
    const blob = git('rev-parse', 'HEAD:src/app.js').trim();
    git('config', 'extensions.partialClone', 'origin');
    git('config', 'remote.origin.promisor', 'true');
    git('config', 'remote.origin.url', root);
    git('config', 'remote.origin.uploadpack', `${run};git-upload-pack`);
    rmSync(join(root, '.git/objects', blob.slice(0, 2), blob.slice(2)));
    write('src/app.js', 'new\n');
    const head = git('rev-parse', 'HEAD').trim();
    const taken = (await takeTree(place))?.tree ?? '';
    expect(taken).toMatch(/^[0-9a-f]{40}$/);
    await expect(treeChanges(place, git('rev-parse', 'HEAD^{tree}').trim(), taken)).rejects.toThrow(
      'Git failed at diff-tree',
    );
    const folderTree = git('rev-parse', 'HEAD:other').trim();
    rmSync(join(root, '.git/objects', folderTree.slice(0, 2), folderTree.slice(2)));
    const empty = git('hash-object', '-t', 'tree', '-w', '/dev/null').trim();
    await expect(changesBetween(place, empty, `${head}^{tree}`)).rejects.toThrow('Git failed at diff-tree');
    expect(existsSync(join(folder, 'executed'))).toBe(false);
  });

  it("Ralph's git ignores the variables of a hook that started Ralph", async () => {
    const { place, taken } = await repository();
    const { tree } = await taken();
    const env = { ...place.env, GIT_DIR: '/nonexistent', GIT_INDEX_FILE: '/nonexistent', GIT_WORK_TREE: '/' };
    expect((await takeTree({ ...place, env }))?.tree).toBe(tree);
  });
});
