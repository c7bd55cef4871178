import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { databasePath, findProject } from '../../src/host/project.ts';
import { openBetterSqlite } from '../../src/store/better-sqlite.ts';
import { done, scripted, shell } from '../support/scripted-agent.ts';

const FEATURES = 'features: [{ name: auth, display_name: Sign in }, { name: shop }]\n';

describe('commit: feature', () => {
  it('commit: feature makes one commit of everything proven once a feature is done, named after it, with an entry in PROGRESS.md', async () => {
    const { project, git } = await scripted(
      {
        1: [[shell('echo a > a.txt'), done('First half.')]],
        2: [[shell('echo s > shop.txt'), done('A shop.')]],
        3: [[shell('echo b > b.txt; echo aa > a.txt'), done('Second half.')]],
        4: [[shell('echo t > shop.txt'), done('More.')]],
        5: [[shell('echo l > lone.txt'), done('Alone.')]],
      },
      'commit: feature\ngates: [{ name: test, command: "true" }]\n',
    );
    writeFileSync(join(project.root, '.ralph/features.yaml'), FEATURES);
    await project.json('add', 'Log in', '--feature', 'auth', '--priority', 'critical');
    await project.json('add', 'Sell', '--feature', 'shop', '--priority', 'high');
    await project.json('add', 'Log out', '--feature', 'auth', '--depends-on', '1');
    await project.json('add', 'Sell more', '--feature', 'shop', '--priority', 'low');
    await project.json('add', 'Alone', '--depends-on', '4');
    expect(await project.within('run')).toMatchObject({ code: 0, stderr: '' });

    const log = git(
      'log',
      '--reverse',
      '--name-only',
      '--format=%n%s|%(trailers:key=Ralph-Task,valueonly,separator=%x20)',
    );
    // The commit of the first feature holds what was done of the other one by then.
    expect(log.trim().replace(/\n+/g, '\n')).toBe(
      'Start|\nSign in|1 3 2\nPROGRESS.md\na.txt\nb.txt\nshop.txt\nshop|4\nPROGRESS.md\nshop.txt\nAlone|5\nlone.txt',
    );
    expect(readFileSync(join(project.root, 'PROGRESS.md'), 'utf8')).toMatch(
      /^# Progress\n\n## Sign in \([\d-]+\)\n\n- #1 Log in: First half.\n- #3 Log out: Second half.\n\n## shop /,
    );
    const [, first, second] = git('log', '--reverse', '--format=%H').trim().split('\n');
    for (const [id, commit] of [
      [1, first],
      [2, first],
      [3, first],
      [4, second],
    ])
      expect(await project.json('show', String(id))).toMatchObject({ receipt: { commit } });
    expect(git('status', '--porcelain', '--', ':!.ralph')).toBe('');
  });

  it('commit: feature leaves the work of a feature that is not complete in the checkout', async () => {
    const { project, git } = await scripted(
      {
        1: [[shell('echo a > a.txt'), done()]],
        2: [[shell('echo half > b.txt'), { verb: 'stuck', args: { reason: 'no' } }]],
      },
      'commit: feature\nlimits: { stuck: 1 }\n',
    );
    writeFileSync(join(project.root, '.ralph/features.yaml'), FEATURES);
    await project.json('add', 'Log in', '--feature', 'auth');
    await project.json('add', 'Log out', '--feature', 'auth');
    expect(await project.within('run')).toMatchObject({ code: 10 });
    expect(git('log', '--format=%s')).toBe('Start\n');
    expect(git('status', '--porcelain', '--', ':!.ralph')).toBe('?? a.txt\n');
  });
});

const BEGIN = ['Start', 'Begin .gitignore'];

describe('a feature that is finished', () => {
  const commits = (git: (...args: string[]) => string): string[] =>
    git('log', '--reverse', '--name-only', '--format=%x01%s')
      .split('\x01')
      .slice(1)
      .map((one) => one.trim().replace(/\n+/g, ' '));

  async function finished(config: string, before: (root: string) => void = () => {}) {
    const commit = 'git add -A . && git -c user.name=A -c user.email=a@b commit -qm';
    const works = (file: string) =>
      config.includes('agent')
        ? shell(`echo ${file} > ${file}; ${commit} "Make ${file}"`)
        : shell(`echo ${file} > ${file}`);
    const scene = await scripted(
      {
        1: [[works('a.txt'), done('First half.')]],
        2: [[works('b.txt'), done('Second half.')]],
        3: [[works('c.txt'), done('A shop.')]],
      },
      config,
    );
    const { root } = scene.project;
    writeFileSync(join(root, '.ralph/features.yaml'), FEATURES);
    writeFileSync(join(root, '.gitignore'), '.ralph\n');
    before(root);
    scene.git('add', '.gitignore');
    scene.git('-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '-qm', 'Begin');
    await scene.project.json('add', 'Log in', '--feature', 'auth', '--priority', 'high');
    await scene.project.json('add', 'Log out', '--feature', 'auth', '--priority', 'high');
    await scene.project.json('add', 'Sell', '--feature', 'shop');
    return scene;
  }

  it.each(['task', 'agent'])(
    'commit: %s gives each finished feature an entry in PROGRESS.md, in a commit of its own',
    async (policy) => {
      const { project, git } = await finished(`commit: ${policy}\n`);
      expect(await project.within('run')).toMatchObject({ code: 0, stderr: '' });
      // As if the run was killed after the commit, before it wrote the file and marked the feature. From slots, the file comes
      // with the commit.
      if (policy === 'agent')
        writeFileSync(join(project.root, 'PROGRESS.md'), git('show', 'HEAD~1:PROGRESS.md'));
      const db = openBetterSqlite(databasePath(findProject(project.root).stateDir));
      db.exec('update features set recorded = null');
      db.close();
      expect(await project.within('run')).toMatchObject({ code: 0 });
      const [login, logout, sell] =
        policy === 'agent' ? ['Make a.txt', 'Make b.txt', 'Make c.txt'] : ['Log in', 'Log out', 'Sell'];
      expect(commits(git)).toEqual([
        ...BEGIN,
        `${login} a.txt`,
        `${logout} b.txt`,
        'Record the progress of Sign in PROGRESS.md',
        `${sell} c.txt`,
        'Record the progress of shop PROGRESS.md',
      ]);
      expect(git('show', 'HEAD:PROGRESS.md')).toMatch(
        /^# Progress\n\n## Sign in \([\d-]+\)\n\n- #1 Log in: First half.\n- #2 Log out: Second half.\n\n## shop \([\d-]+\)\n\n- #3 Sell: A shop.\n$/,
      );
      expect(git('status', '--porcelain')).toBe('');
    },
  );

  it('commit: never and progress_file: off write no entry, and a person who edits the file keeps their changes uncommitted', async () => {
    const off = await finished('commit: task\nprogress_file: off\n');
    expect(await off.project.within('run')).toMatchObject({ code: 0 });
    expect(commits(off.git)).toHaveLength(5);
    const never = await finished('commit: never\n');
    expect(await never.project.within('run')).toMatchObject({ code: 0 });
    expect(existsSync(join(never.project.root, 'PROGRESS.md'))).toBe(false);
    const edited = await finished('progress_file: NEWS.md\n', (root) =>
      writeFileSync(join(root, 'NEWS.md'), 'Mine.\n'),
    );
    expect(await edited.project.within('run')).toMatchObject({ code: 0 });
    expect(readFileSync(join(edited.project.root, 'NEWS.md'), 'utf8')).toBe('Mine.\n');
    expect(edited.git('status', '--porcelain')).toBe('?? NEWS.md\n');
  });

  it('the next run commits a feature whose last task was skipped', async () => {
    const { project, git } = await finished('commit: feature\n');
    expect(await project.within('run', '--once')).toMatchObject({ code: 0 });
    await project.json('skip', '2');
    expect(commits(git)).toEqual(BEGIN);
    expect(await project.within('run')).toMatchObject({ code: 0, stderr: '' });
    expect(commits(git)).toEqual([...BEGIN, 'Sign in PROGRESS.md a.txt', 'shop PROGRESS.md c.txt']);
    const commit = git('rev-parse', 'HEAD~1').trim();
    expect(await project.json('show', '1')).toMatchObject({ receipt: { commit } });
    expect(git('status', '--porcelain')).toBe('');
  });
});

it('a feature that is verified is committed as one, with what its verification mended', async () => {
  const { project, git, promptOf } = await scripted(
    {
      1: [[shell('echo a > a.txt'), done('First half.')]],
      2: [[shell('echo b > b.txt'), done('Second half.')]],
      3: [[shell('echo mended > a.txt; test "$(git log --format=%s)" = Start'), done('It holds.')]],
    },
    'commit: feature\nverify_feature: true\n',
  );
  writeFileSync(
    join(project.root, '.ralph/features.yaml'),
    'features: [{ name: auth, display_name: Sign in, acceptance_criteria: [Nobody is locked out] }]\n',
  );
  for (const title of ['One', 'Two']) await project.json('add', title, '--feature', 'auth');
  expect(await project.within('run')).toMatchObject({ code: 0, stderr: '' });
  expect(promptOf(3, 0)).toMatch(/- \[ \] Nobody is locked out[\s\S]*/);
  expect(promptOf(3, 0)).toContain('Second half.');
  expect(git('log', '-1', '--format=%s|%(trailers:key=Ralph-Task,valueonly,separator=%x20)').trim()).toBe(
    'Sign in|1 2 3',
  );
  expect(git('show', 'HEAD:a.txt')).toBe('mended\n');
  expect(await project.json('list', '--status', 'done')).toHaveLength(3);
});

it('a feature is done with its last task, and active again with a new one', async () => {
  const { project } = await scripted({ 1: [[done()]], 2: [[done()]] });
  writeFileSync(join(project.root, '.ralph/features.yaml'), FEATURES);
  await project.json('add', 'Log in', '--feature', 'auth');
  const statusOf = async () => {
    await project.json('export', 'out');
    const text = readFileSync(join(project.root, 'out/features.yaml'), 'utf8');
    return /name: auth[\s\S]*?status: (\w+)/.exec(text)?.[1];
  };
  await project.within('run');
  expect(await statusOf()).toBe('done');
  await project.json('add', 'Log out', '--feature', 'auth');
  expect(await statusOf()).not.toBe('done');
});
