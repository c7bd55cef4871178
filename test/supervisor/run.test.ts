import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { findCarriers } from '../../src/host/processes/reap.ts';
import { findProject } from '../../src/host/project.ts';
import { initialised } from '../support/ralph.ts';
import { done, scripted, shell } from '../support/scripted-agent.ts';

describe('ralph run', () => {
  it('a run works through the queue: each task in its own process, proven, committed once', async () => {
    const { project, git } = await scripted(
      {
        1: [
          [
            { shell: 'echo one > one.txt' },
            { verb: 'learned', args: { text: 'One comes first.', kind: 'discovery', scope: 'project' } },
            done('One is there.'),
          ],
        ],
        2: [[{ shell: 'echo two > two.txt' }, done('Two is there.')]],
      },
      'gates: [{ name: test, command: "test ! -e two.txt || test -e one.txt" }]\n',
    );
    await project.json('trust', '--yes');
    await project.json('add', 'Write one');
    await project.json('add', 'Write two', '--depends-on', '1');
    const ran = await project.ralph('run');
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(
      /^ralph run .*\n {2}before starting, gates 1\/1: test, \d+\.\ds\n▶ #1 Write one {2}try 1\/3 {2}haiku\n {2}gates 1\/1: test, \d+\.\ds\n✓ #1 Write one +1 try +\d+\.\ds +- {2}gates 1\/1 {2}[0-9a-f]{7}\n/,
    );
    expect(ran.stdout).toMatch(
      /\nFinished after [\d.ms]+: Every task is done or skipped\.\n {2}2 done {2}of 2 /,
    );
    expect(ran.stdout).toMatch(/\nDONE THIS RUN .*\n {2}✓ #1 Write one .*\n {2}✓ #2 Write two .*\n/);
    expect(ran.stdout).toMatch(/\nLearned 1 new +ralph learn list --run 1\n$/);
    // Nobody asked for colours, a cursor or a footer in a pipe.
    expect(ran.stdout).not.toContain('\x1b');
    expect(git('log', '--format=%s %(trailers:key=Ralph-Task,valueonly,separator=%x20)')).toBe(
      'Write two 2\nWrite one 1\nStart \n',
    );
    expect(await project.json('show', '2')).toMatchObject({
      status: 'done',
      receipt: {
        summary: 'Two is there.',
        gates: [{ name: 'test', passed: true }],
        commit: git('rev-parse', 'HEAD').trim(),
      },
    });
  });

  it('a run sends a done that a gate refutes back with the failure in the next prompt', async () => {
    const { project, promptOf, git } = await scripted(
      {
        1: [
          [{ shell: 'echo first > first.txt' }, done('Trust me.')],
          [{ shell: 'echo built > built.txt' }, done()],
        ],
      },
      'gates: [{ name: test, command: "test ! -e first.txt || test -e built.txt || { echo built.txt is missing; exit 1; }" }]\n',
    );
    await project.json('trust', '--yes');
    await project.json('add', 'Build it');
    expect(await project.within('run')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('again: gate test'),
    });
    expect(promptOf(1, 0)).not.toContain('Before this task began');
    expect(promptOf(1, 0)).not.toContain('said done, but a gate failed');
    expect(promptOf(1, 1)).toContain('said done, but a gate failed');
    expect(promptOf(1, 1)).toContain('built.txt is missing');
    expect(await project.json('show', '1')).toMatchObject({ status: 'done', attempts: 1 });
    // What the first attempt wrote is the task's work, too.
    expect(git('show', '--name-only', '--format=')).toBe('built.txt\nfirst.txt\n');
  });

  it.each([
    ['in a slot', ''],
    ['in place', 'in_place: true\n'],
  ])(
    'a task that failed %s does not poison the next one, and gets its work back when it is retried',
    async (_, mode) => {
      const { project, git, promptOf } = await scripted(
        {
          1: [
            [{ shell: 'echo broken > broken.txt' }, done()],
            [{ shell: 'mv broken.txt mended.txt' }, done('Mended.')],
          ],
          2: [[{ shell: 'echo two > two.txt' }, done()]],
        },
        `${mode}max_attempts: 1\ngates: [{ name: test, command: "test ! -e broken.txt" }]\n`,
      );
      await project.json('trust', '--yes');
      await project.json('add', 'Break it', '--priority', 'high');
      await project.json('add', 'Write two');
      expect(await project.within('run')).toMatchObject({ code: 10 });
      expect((await project.within('show', '1')).stdout).toContain('it comes back with the next try');
      expect((await project.within('diff', '1')).stdout).toContain('+broken');
      expect(await project.json('list')).toMatchObject([{ status: 'failed' }, { status: 'done' }]);
      expect(git('show', '--name-only', '--format=')).toBe('two.txt\n');
      await project.json('retry', '1');
      expect(await project.within('run')).toMatchObject({ code: 0 });
      expect(promptOf(1, 1)).toContain('Previous tries');
      expect(git('show', '--name-only', '--format=')).toBe('mended.txt\n');
      expect(git('status', '--porcelain', '--untracked-files=no')).toBe('');
    },
  );

  it('a run parks a question, goes on with the rest, and resumes the task with the answer', async () => {
    const ask = { verb: 'ask', args: { question: 'Which zone?', blocking: true } };
    const { project, promptOf } = await scripted({
      1: [[ask, { verb: 'partial', args: { summary: 'a', remaining: 'b' } }], [done()]],
      2: [[done()]],
    });
    await project.json('add', 'One', '--priority', 'high');
    await project.json('add', 'Two');
    expect(await project.within('run')).toMatchObject({
      code: 10,
      stdout: expect.stringContaining('1 open question. Answer Q1'),
    });
    await project.json('answer', '1', 'UTC');
    expect(await project.within('run')).toMatchObject({ code: 0 });
    expect(promptOf(1, 1)).toContain('UTC');
  });

  it('a run ends what a session left running, and keeps no file that may hold secrets', async () => {
    const { project } = await scripted({
      1: [[{ shell: 'echo $RALPH_SESSION_ID > id; setsid sleep 600 >/dev/null 2>&1 </dev/null &' }, done()]],
    });
    await project.json('add', 'One');
    expect(await project.within('run')).toMatchObject({ code: 0 });
    const id = readFileSync(join(project.root, 'id'), 'utf8').trim();
    expect(findCarriers(`RALPH_SESSION_ID=${id}`)).toEqual([]);
    const kept = readdirSync(join(findProject(project.root).stateDir, 'sessions', id)).sort();
    expect(kept).toEqual(['prompt.md', 'stream.jsonl', 'stream.stderr', 'system.md']);
  });

  it('the lock of a git that was killed with its session does not block a run', async () => {
    const { project, git } = await scripted(
      { 1: [[{ shell: 'echo one > one.txt; touch .git/index.lock' }, done()]] },
      'in_place: true\n',
    );
    await project.json('add', 'One');
    expect(await project.within('run')).toMatchObject({ code: 0 });
    expect(existsSync(join(project.root, '.git/index.lock'))).toBe(false);
    expect(git('status', '--porcelain', '--', 'one.txt')).toBe('');
  });

  it('a run charges no attempt for a missing agent, and says what to do', async () => {
    const project = await initialised();
    writeFileSync(
      join(project.root, '.ralph/config.yaml'),
      'agent: mine\nagents: { mine: { command: [no-such-agent] } }\ngates: [{ name: test, command: touch ran }]\n',
    );
    await project.json('trust', '--yes');
    await project.json('add', 'One');
    expect(await project.within('run')).toMatchObject({
      code: 13,
      stdout: expect.stringContaining('The agent "mine" cannot be started (ENOENT); install it'),
    });
    expect(await project.json('show', '1')).toMatchObject({ status: 'pending', attempts: 0, stuck_count: 0 });
    // Nothing was tried, and nothing of it is in the next prompt, whatever else has changed since.
    writeFileSync(join(project.root, 'mine.txt'), 'mine\n');
    expect((await project.within('prompt', '1')).stdout).not.toMatch(/Previous tries|Try \d|interrupted/);
    // Gates may take minutes, and this can be said at once.
    expect(existsSync(join(project.root, 'ran'))).toBe(false);
  });

  it('a run charges no attempt for a custom agent that fails before it did anything, and shows its last words', async () => {
    const project = await initialised();
    const agent = (script: string) => {
      const config = `agent: mine\nagents: { mine: { command: [sh, -c, ${JSON.stringify(script)}] } }\n`;
      writeFileSync(join(project.root, '.ralph/config.yaml'), config);
      return project.json('trust', '--yes');
    };
    // The first may have lost its connection to Ralph: the run tries two more before it says that the agent cannot be used.
    await agent('echo booting; echo "warming up" >&2; echo "quota: 401 Unauthorized" >&2; exit 3');
    await project.json('add', 'One');
    const ran = await project.within('run');
    expect(ran).toMatchObject({ code: 13 });
    expect(ran.stdout).toContain('(it says: warming up / quota: 401 Unauthorized)');
    const untouched = { status: 'pending', attempts: 0, stuck_count: 0 };
    expect(await project.json('show', '1')).toMatchObject({
      ...untouched,
      sessions: Array(3).fill({ outcome: 'interrupted', end: { fault: 'agent_failed' } }),
    });
    expect((await project.within('show', '1')).stdout).toContain(
      'the agent failed before it told Ralph anything: warming up / quota: 401 Unauthorized',
    );
    expect(await project.within('run', '--once')).toMatchObject({ code: 13 });
    // One that changed something failed at its work.
    const flag = join(project.home, 'began');
    await agent(`test -e ${flag} || { touch ${flag}; exit 3; }; echo 1 > 1.txt; exit 3`);
    expect(await project.within('run', '--max-sessions', '2')).toMatchObject({ code: 0 });
    expect(await project.json('show', '1')).toMatchObject({ ...untouched, stuck_count: 1 });
  });

  it('Ralph runs nothing of a configuration that no person trusts', async () => {
    const { project } = await scripted({ 1: [[done()]] });
    writeFileSync(
      join(project.root, '.ralph/config.yaml'),
      'agent: mine\nagents: { mine: { command: [touch, executed] } }\n',
    );
    await project.json('add', 'One');
    expect(await project.within('run')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ralph trust'),
    });
    expect(existsSync(join(project.root, 'executed'))).toBe(false);
  });

  it('the next run resumes a killed one: it finds its signals, ends its processes, and commits the work once', async () => {
    const wait = {
      shell: 'echo work > work.txt; echo $RALPH_SESSION_ID > ~/id; while [ ! -e ~/go ]; do sleep 0.05; done',
    };
    const learned = { verb: 'learned', args: { text: 'It takes long.', kind: 'gotcha', scope: 'project' } };
    const { project, git, promptOf } = await scripted({ 1: [[learned, wait, done()], [done('Second.')]] });
    await project.json('add', 'One');
    const options = {
      cwd: project.root,
      env: { HOME: project.home, RALPH_SANDBOX: 'off', PATH: process.env['PATH'] },
    };
    const killed = spawn(process.execPath, [inject('ralph'), 'run'], { ...options, stdio: 'ignore' });
    const read = (...path: string[]): string =>
      existsSync(join(...path)) ? readFileSync(join(...path), 'utf8') : '';
    await expect.poll(() => read(project.home, 'id')).not.toBe('');
    const id = read(project.home, 'id').trim();
    const { stateDir } = findProject(project.root);
    await expect.poll(() => read(stateDir, 'sessions', id, 'stream.jsonl')).not.toBe('');
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    const marker = `RALPH_SESSION_ID=${id}` as const;
    const ran = await project.within('run');
    expect(ran).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('#1 of a run that died is queued'),
    });
    expect(findCarriers(marker)).toEqual([]);
    expect(promptOf(1, 1)).toContain('It takes long.');
    expect(git('rev-list', '--count', 'HEAD').trim()).toBe('2');
    expect(await project.json('show', '1')).toMatchObject({
      status: 'done',
      attempts: 0,
      stuck_count: 0,
      sessions: [
        // What it had consumed by then is known from its stream.
        { outcome: 'interrupted', usage: { turns: expect.toSatisfy((turns: number) => turns > 0) } },
        { outcome: 'done' },
      ],
    });
  });

  it("a person's changes between two runs stay out of the work of a resumed task", async () => {
    const { project, git } = await scripted({
      1: [[{ shell: 'echo 1 > 1.txt' }, { verb: 'stuck', args: { reason: 'no' } }], [done('One.')]],
      2: [[{ shell: 'echo 2 > 2.txt' }, done('Two.')]],
    });
    await project.json('add', 'One');
    await project.within('run', '--once');
    writeFileSync(join(project.root, 'notes.txt'), 'of a person\n');
    await project.json('add', 'Two', '--priority', 'high');
    expect(await project.within('run')).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(join(project.root, 'notes.txt'), 'utf8')).toBe('of a person\n');
    expect(git('log', '--reverse', '--name-only', '--format=%s').replace(/\n+/g, ' ')).toBe(
      'Start Two 2.txt One 1.txt ',
    );
    expect(git('status', '--porcelain')).toContain('?? notes.txt');
  });

  it('Ralph commits the tree that the gates saw, and nothing newer', async () => {
    const { project, git } = await scripted(
      {
        1: [
          [{ shell: 'echo 0 > 0.txt' }, done()],
          [{ shell: 'echo 1 > 1.txt' }, done()],
        ],
        2: [[{ shell: 'echo 2 > 2.txt' }, done()]],
      },
      'gates: [{ name: test, command: "date +%s%N > coverage.txt; test ! -e 0.txt || test -e 1.txt" }]\n',
    );
    await project.json('add', 'One');
    await project.json('add', 'Two');
    expect(await project.within('run')).toMatchObject({ code: 0, stderr: '' });
    expect(git('log', '--reverse', '--name-only', '--format=').replace(/\n+/g, ' ')).toBe(
      '0.txt 1.txt 2.txt ',
    );
  });

  it('a run works in a subfolder of the repository, and sets all work of an unfinished task aside', async () => {
    const { project, git } = await scripted(
      {
        1: [[{ shell: 'echo poison > poison.txt; mkdir -p deep; echo x > deep/x.txt' }, done()]],
        2: [[{ shell: 'echo 2 > 2.txt' }, done()]],
      },
      'max_attempts: 1\ngates: [{ name: test, command: "test ! -e poison.txt" }]\n',
    );
    // The repository is made around it.
    renameSync(join(project.root, '.git'), join(project.root, '../.git'));
    mkdirSync(join(project.root, '../.git/ralph/projects/project'), { recursive: true });
    await project.json('add', 'One', '--priority', 'high');
    await project.json('add', 'Two');
    expect(await project.within('run')).toMatchObject({ code: 10 });
    expect(existsSync(join(project.root, 'poison.txt'))).toBe(false);
    expect(existsSync(join(project.root, 'deep'))).toBe(false);
    expect(git('show', '--name-only', '--format=')).toBe('project/2.txt\n');
  });

  it('a run that is interrupted once says so, lets the session end, and begins no other', async () => {
    const wait = { shell: 'touch ~/started; while [ ! -e ~/go ]; do sleep 0.05; done' };
    const { project } = await scripted({ 1: [[wait, done()]], 2: [[done()]] });
    await project.json('add', 'One', '--priority', 'high');
    await project.json('add', 'Two');
    const options = {
      cwd: project.root,
      env: { HOME: project.home, RALPH_SANDBOX: 'off', PATH: process.env['PATH'] },
    };
    const child = spawn(process.execPath, [inject('ralph'), 'run'], options);
    // Twice: a test that fails half-way must leave neither the run nor its session.
    onTestFinished(async () => {
      if (child.exitCode !== null) return;
      for (let time = 0; time < 2; time++) child.kill('SIGTERM');
      await once(child, 'exit');
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
    await expect.poll(() => existsSync(join(project.home, 'started'))).toBe(true);
    child.kill('SIGINT');
    await expect.poll(() => stderr).toContain('Stopping after this session; Ctrl-C again ends it now.');
    writeFileSync(join(project.home, 'go'), '');
    expect(await once(child, 'close')).toEqual([130, null]);
    expect(stdout).toContain('✓ #1 One');
    expect(stdout).toContain('You stopped it. Resume it: ralph run.');
    expect(stdout).not.toMatch(/#2|\x1b/);
  });

  it('a run that is interrupted twice ends its session and gates at once, and the next run proves the work', async () => {
    const { project, config } = await scripted({ 1: [[{ shell: 'echo 1 > 1.txt' }, done()]] });
    const [waiting, go] = [join(project.home, 'waiting'), join(project.home, 'go')];
    await config(
      `gates: [{ name: test, command: "test ! -e 1.txt || test -e ${go} || { touch ${waiting}; exec sleep 600; }" }]\n`,
    );
    await project.json('add', 'One');
    const options = {
      cwd: project.root,
      env: { HOME: project.home, RALPH_SANDBOX: 'off', PATH: process.env['PATH'] },
    };
    const child = spawn(process.execPath, [inject('ralph'), 'run'], { ...options, stdio: 'ignore' });
    await expect.poll(() => existsSync(waiting)).toBe(true);
    // The same signal twice at once could be one.
    child.kill('SIGINT');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([130, null]);
    writeFileSync(go, '');
    expect(await project.within('run')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('#1 of a run that died is done'),
    });
    expect(await project.json('show', '1')).toMatchObject({ status: 'done', attempts: 0, sessions: [{}] });
  });

  it('Ralph refutes a done whose change was undone, and parks one that says why nothing had to change', async () => {
    const said = { verb: 'done', args: { summary: 'Built.' } };
    const { project, promptOf } = await scripted(
      {
        1: [
          [shell('touch there'), said, shell('rm there')],
          [{ verb: 'done', args: { summary: 'Fine.', no_change_reason: 'It was there.' } }],
        ],
      },
      'gates: [{ name: test, command: "echo ran >> ../runs" }]\n',
    );
    await project.json('add', 'One');
    const { code, stdout } = await project.within('run');
    expect({ code, stdout }).toEqual({
      code: 10,
      stdout: expect.stringMatching(/Q1.*Done without a change\? The agent says: It was there\./s),
    });
    expect(promptOf(1, 1)).toContain('no file has changed since the task began');
    expect(await project.json('show', '1')).toMatchObject({
      status: 'needs_input',
      attempts: 1,
      sessions: [{ outcome: 'no_change' }, { outcome: 'needs_approval' }],
    });
    expect((await project.within('approve', '1')).stdout).toBe(
      'Accepted #1 One: it is done without a change.\n',
    );
    expect(await project.json('show', '1')).toMatchObject({
      status: 'done',
      receipt: { commit: null, no_change_reason: 'It was there.', gates: [{ name: 'test', passed: true }] },
    });
  });

  it('a run prints one event a line for scripts', async () => {
    const { project } = await scripted({ 1: [[done()]] });
    await project.json('add', 'One');
    const { stdout } = await project.within('run', '--once', '--json');
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const kinds = events.map(({ kind }) => kind);
    // The checkout follows while Ralph goes on, and before it stops.
    const [followed, ...others] = [...new Set(kinds)].sort((kind) => (kind === 'checkout_followed' ? -1 : 1));
    expect(followed).toBe('checkout_followed');
    expect(others).toEqual([
      'without_gates',
      'slot',
      'started',
      'observed',
      'checking',
      'phase',
      'finished',
      'stopped',
    ]);
    const finished = { gates: [], commit: expect.any(String), questions: [] };
    expect(events.find(({ kind }) => kind === 'finished')).toMatchObject(finished);
    expect(events.at(-1)).toMatchObject({ reason: 'enough', sentence: expect.stringContaining('1 session') });
  });
});
