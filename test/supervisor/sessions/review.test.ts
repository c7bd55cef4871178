import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { databasePath, findProject } from '../../../src/host/project.ts';
import { closeQueue, openQueue } from '../../../src/queue/queue.ts';
import { record } from '../../../src/queue/sessions/record.ts';
import { startRun } from '../../../src/queue/sessions/runs.ts';
import { claim } from '../../../src/queue/tasks/claim.ts';
import { done, scripted, shell } from '../../support/scripted-agent.ts';

const approve = { verb: 'approve', args: {} };
const object = (changes: string) => ({ verb: 'request_changes', args: { changes } });

describe('a review', () => {
  it('a review sends the work back with its text, and approves what is mended', async () => {
    const { project, promptOf, git } = await scripted(
      {
        1: [
          [shell('echo 1 > 1.txt'), done('First.')],
          [shell('echo 2 > 1.txt'), done('Second.')],
        ],
        '1.review': [[object('1. It must say 2.')], [approve]],
      },
      'review: { when: always }\n',
    );
    await project.json('add', 'One');
    const ran = await project.within('run');
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain('again: review');
    expect(promptOf('1.review', 0)).toContain('First.');
    expect(promptOf(1, 1)).toContain('It must say 2.');
    expect(await project.json('show', '1')).toMatchObject({ status: 'done', attempts: 1 });
    expect(git('rev-list', '--count', 'HEAD').trim()).toBe('2');
  });

  it('a review and a retry show the files that the work added, changed and removed, and nothing of a person', async () => {
    const { project, promptOf, git } = await scripted(
      {
        1: [
          [
            shell('mkdir src; echo new > src/new.ts; echo second > old.txt; rm gone.txt'),
            shell('echo "* -diff" > .gitattributes; printf "a\\0b" > logo.bin; echo hidden > .env.local'),
            done('First.'),
          ],
          [shell('echo newer > src/new.ts'), done('Second.')],
        ],
        '1.review': [[object('Say newer.')], [approve]],
      },
      'review: { when: always }\n',
    );
    for (const name of ['old.txt', 'gone.txt'])
      writeFileSync(join(project.root, name), `the first ${name}\n`);
    git('add', 'old.txt', 'gone.txt');
    git('-c', 'user.name=P', '-c', 'user.email=p@example.com', 'commit', '-qm', 'Begin');
    writeFileSync(join(project.root, 'mine.txt'), 'words of a person\n');
    await project.json('add', 'One');
    expect(await project.within('run')).toMatchObject({ code: 0 });
    for (const prompt of [promptOf('1.review', 0), promptOf(1, 1)]) {
      expect(prompt).toContain('+++ b/src/new.ts\n@@ -0,0 +1 @@\n+new\n');
      expect(prompt).toContain('-the first old.txt\n+second\n');
      expect(prompt).toContain('-the first gone.txt\n');
      expect(prompt).toContain('- `logo.bin`: added (binary)');
      expect(prompt).toContain('- `.env.local`: added (may hold secrets)');
      expect(prompt).not.toMatch(/words of a person|hidden/);
    }
    expect(promptOf('1.review', 0)).toContain('## Here is the work to review');
    expect(promptOf('1.review', 0)).toContain("## The session's task: #1 One");
    expect(promptOf('1.review', 0)).not.toMatch(/Your task|choose what fits/);
    expect(promptOf('1.review', 1)).toContain('+newer\n');
  });

  it('only the session that has the MCP servers of its discipline is told of them', async () => {
    const { project, promptOf, config } = await scripted({
      1: [[shell('echo 1 > 1.txt'), done()]],
      '1.review': [[approve]],
    });
    writeFileSync(
      join(project.root, '.ralph/disciplines.yaml'),
      'disciplines: [{ name: backend, mcp_servers: [{ name: postgres, command: "true" }] }]\n',
    );
    await config('review: { when: always }\n');
    await project.json('add', 'One', '--discipline', 'backend');
    const preview = (await project.within('prompt', '1')).stdout;
    expect(await project.within('run')).toMatchObject({ code: 0 });
    expect(promptOf(1, 0)).toContain('this session has these MCP servers: `postgres`.');
    expect(promptOf(1, 0)).not.toContain('next-model');
    expect(preview.trim()).toBe(promptOf(1, 0).trim());
    expect(promptOf('1.review', 0)).not.toContain('postgres');
    const review = await project.within('prompt', '1', '--recipe', 'opus_review');
    expect(review.stdout).not.toContain('postgres');
  });

  it('Ralph reviews only important tasks if the project says so', async () => {
    const { project } = await scripted(
      { 1: [[done()]], 2: [[done()]], '1.review': [[approve]], '2.review': [[object('no')]] },
      'review: { when: high }\n',
    );
    await project.json('add', 'One', '--priority', 'critical');
    await project.json('add', 'Two', '--priority', 'medium');
    const { stdout } = await project.within('run');
    expect(stdout.match(/review of #/g)).toHaveLength(1);
    expect(await project.json('list')).toMatchObject([{ status: 'done' }, { status: 'done' }]);
  });

  it('a review without a verdict, or during which files changed, is repeated and costs no try', async () => {
    const { project } = await scripted(
      {
        1: [[shell('echo 1 > 1.txt'), done()]],
        2: [[shell('echo 2 > 2.txt'), done()]],
        '1.review': [[{ exit: 0 }], [approve]],
        '2.review': [[shell('echo mine > mine.txt'), object('no')], [approve]],
      },
      'review: { when: always }\n',
    );
    await project.json('add', 'One');
    await project.json('add', 'Two');
    expect(await project.within('run')).toMatchObject({ code: 0 });
    const approved = { status: 'done', attempts: 0, comments: [], sessions: [{ outcome: 'done' }] };
    expect(await project.json('show', '1')).toMatchObject(approved);
    expect(await project.json('show', '2')).toMatchObject(approved);
  });

  it('a review that never gives a verdict leaves a proven done as it is, and says so', async () => {
    const { project } = await scripted(
      { 1: [[shell('echo 1 > 1.txt'), done()]], '1.review': [[{ exit: 0 }], [{ exit: 0 }]] },
      'review: { when: high }\n',
    );
    await project.json('add', 'One', '--priority', 'high');
    const ran = await project.within('run');
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stdout).toContain('Not reviewed: the reviewer gave no verdict.');
    expect(await project.json('show', '1')).toMatchObject({
      status: 'done',
      attempts: 0,
      comments: [{ body: 'Not reviewed: the reviewer gave no verdict.' }],
    });
  });

  it('work that is on its branch after a crash is reviewed, unless its review is known', async () => {
    const { project, git, promptOf } = await scripted(
      { '1.review': [[object('It steals.')]] },
      'review: { when: always }\n',
    );
    await project.json('add', 'One');
    const base_commit = git('rev-parse', 'HEAD').trim();
    const queue = await openQueue(databasePath(findProject(project.root).stateDir));
    onTestFinished(() => closeQueue(queue));
    const run_id = await startRun(queue, { pid: 2 ** 22 + 1, process_started: null });
    await claim(queue, { run_id, session_id: 'killed', base_commit, root: project.root });
    await record(queue, { session_id: 'killed', call_id: null, signal: { verb: 'done', summary: 'x' } });
    // As an agent could that reaches the repository, before it kills the run.
    git('switch', '-qc', 'ralph/main');
    writeFileSync(join(project.root, 'theft.txt'), 'forged\n');
    git('add', 'theft.txt');
    const person = ['-c', 'user.name=P', '-c', 'user.email=p@example.com'];
    git(...person, 'commit', '-qm', 'One', '-m', 'Ralph-Session: killed');
    git('switch', '-q', '-');
    const { stdout } = await project.within('run');
    expect(promptOf('1.review', 0)).toContain('+forged');
    expect(stdout).toContain('rejects it: It steals.');
    expect(await project.json('show', '1')).toMatchObject({ status: 'needs_input', receipt: null });
  });

  it('a reviewer that cannot start ends the run, and a person decides if a review is required', async () => {
    // Nothing is written down for the reviewer, so its process fails before it says a word.
    const { project } = await scripted(
      { 1: [[shell('echo 1 > 1.txt'), done()], [done('Again.')]] },
      'review: { when: always }\n',
    );
    await project.json('add', 'One');
    const ran = await project.within('run');
    expect(ran).toMatchObject({ code: 13 });
    expect(ran.stdout).toContain('ended with an error before it told Ralph anything');
    expect(await project.json('show', '1')).toMatchObject({
      status: 'needs_input',
      attempts: 0,
      sessions: [{ outcome: 'interrupted' }],
      questions: [{ question: expect.stringContaining('The gates passed, but the work was not reviewed') }],
    });
    await project.json('answer', '1', 'accept');
    expect(await project.within('run')).toMatchObject({ code: 0 });
    expect(await project.json('show', '1')).toMatchObject({ status: 'done', attempts: 0 });
  });
});

describe('ralph review', () => {
  it('ralph review sends a done task back, and the tasks that depend on it wait again', async () => {
    const { project, promptOf } = await scripted({
      1: [[shell('echo 1 > 1.txt'), done('First.')], [done('Second.')]],
      2: [[done()]],
      '1.review': [[object('Say why.')], [approve]],
    });
    await project.json('add', 'One');
    await project.json('add', 'Two', '--depends-on', '1');
    await project.within('run', '--once');
    expect(await project.within('review', '1')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Task 1 is in the queue again .*\nSay why\.\n$/),
    });
    expect(promptOf('1.review', 0)).toContain('+++ b/1.txt');
    expect(await project.json('list')).toMatchObject([{ status: 'pending' }, { open_blockers: 1 }]);
    expect(await project.within('run')).toMatchObject({ code: 0 });
    expect(promptOf(1, 1)).toContain('Say why.');
    expect(await project.within('review', '1')).toMatchObject({
      stdout: 'Task 1 is approved (cost not reported).\n',
    });
    expect(await project.json('show', '1')).toMatchObject({ status: 'done' });
  });

  it('ralph review without a verdict leaves the task done', async () => {
    const { project } = await scripted({
      1: [[shell('echo 1 > 1.txt'), done()]],
      '1.review': [[{ exit: 0 }], [{ exit: 0 }]],
    });
    await project.json('add', 'One');
    await project.within('run');
    expect(await project.within('review', '1')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Task 1 was not reviewed and stays done'),
    });
    expect(await project.json('show', '1')).toMatchObject({ status: 'done' });
  });

  it('ralph review accepts only done tasks', async () => {
    const { project } = await scripted({});
    await project.json('add', 'One');
    expect(await project.within('review', '1')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'Task 1 is queued; only a task that a session finished can be reviewed.',
      ),
    });
  });
});
