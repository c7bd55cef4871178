import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProject, findStateDir } from '../../src/host/project.ts';
import { sessionDir, streamFile } from '../../src/host/session-folder.ts';
import { appendProgress } from '../../src/project/append-progress.ts';
import { readJournal } from '../../src/project/journal/journal.ts';
import { readConfig } from '../../src/project/read-config.ts';
import { createFeature } from '../../src/queue/definitions/edit.ts';
import { addTask } from '../../src/queue/tasks/add.ts';
import { filesWrittenForTasks } from '../../src/store/tasks/written-files.ts';
import { writeMissingEntries } from '../../src/supervisor/deferred-writes.ts';
import { openTestQueue, runSession } from '../support/queue.ts';
import { initialised, type TestProject } from '../support/ralph.ts';
import { done, scripted, shell } from '../support/scripted-agent.ts';
import { tempDir } from '../support/temp.ts';

const FEATURES = 'features:\n  - { name: auth }\n  - { name: billing }\n';
const learned = (text: string, scope = 'feature') => ({
  verb: 'learned',
  args: { text, kind: 'decision', scope, rationale: 'it was measured' },
});

async function worked() {
  const scene = await scripted(
    {
      1: [
        [
          shell('echo a > a.txt'),
          learned('Tokens are hashed'),
          { verb: 'partial', args: { summary: 'half', remaining: 'rest' } },
        ],
        [shell('echo b > b.txt'), done('All of it.')],
      ],
      2: [[done('Looked.')]],
    },
    'gates: [{ name: test, command: "true" }]\n',
  );
  writeFileSync(join(scene.project.root, '.ralph/features.yaml'), FEATURES);
  await scene.project.json('add', 'Sign in', '--feature', 'auth');
  await scene.project.json('add', 'Look around');
  expect(await scene.project.within('run')).toMatchObject({ code: 0 });
  return scene;
}

const linesOf = (project: TestProject, name: string): { outcome: string; attempt: number }[] =>
  readFileSync(join(project.root, '.ralph/memory', name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

it('the prompt of a session has the progress line of the session before, however long its stream takes to read', async () => {
  const project = await initialised();
  const script = `
    cat >~/prompt
    if grep -q 'Your task: #1' ~/prompt; then yes 'Looking around.' | head -n 30000; fi
    echo x >>x.txt; echo '<TASK_DONE>'`;
  const agents = { loud: { command: ['sh', '-c', script], protocol: 'sigils' } };
  writeFileSync(join(project.root, '.ralph/config.yaml'), JSON.stringify({ agent: 'loud', agents }));
  await project.json('add', 'Say much');
  await project.json('add', 'Read on');
  await project.within('trust', '--yes');
  expect(await project.within('run')).toMatchObject({ code: 0 });
  expect(readFileSync(join(project.home, 'prompt'), 'utf8')).toMatch(/#1 Say much[\s\S]*Your task: #2/);
});

describe('.ralph/progress.txt', () => {
  const progress = (root: string, name = 'progress.txt'): string =>
    readFileSync(join(root, '.ralph', name), 'utf8');

  it('.ralph/progress.txt gets one line with every done, after what a person wrote, and no commit holds it', async () => {
    const { project, git } = await scripted({
      1: [
        [{ verb: 'partial', args: { summary: 'half', remaining: 'rest' } }],
        [shell('echo b > b.txt'), done('All\nof \x1b[31mit.')],
      ],
      2: [[shell('echo c > c.txt'), done('More.')]],
    });
    writeFileSync(join(project.root, '.ralph/progress.txt'), 'A note without an end');
    git('add', '-f', '.ralph/progress.txt');
    git('-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '-qm', 'Begin');
    await project.json('add', 'Sign in');
    await project.json('add', 'Sign out', '--depends-on', '1');
    expect(await project.within('run')).toMatchObject({ code: 0, stderr: '' });
    const lines = progress(project.root).split('\n');
    expect(lines).toEqual([
      'A note without an end',
      expect.stringMatching(/^[\d-]{10} #1 Sign in: All of ␛\[31mit\. \(session [\da-f]{8}\)$/),
      expect.stringMatching(/^[\d-]{10} #2 Sign out: More\. \(session [\da-f]{8}\)$/),
      '',
    ]);
    expect(git('log', '--reverse', '--name-only', '--format=').trim()).toBe(
      '.ralph/progress.txt\n\nb.txt\n\nc.txt'.replaceAll('\n\n', '\n'),
    );
  });

  it('a run that was killed before it marked the session writes no second line, and a full file is turned over once', async () => {
    const root = tempDir();
    mkdirSync(join(root, '.ralph'));
    const line = (id: number) => ({
      session_id: `${id}`.padStart(8, '0'),
      task: { id, title: 'Work' },
      summary: 'x'.repeat(400),
      at: 0,
    });
    for (let id = 1; id <= 500; id++) await appendProgress(root, line(id));
    await appendProgress(root, line(500));
    const now = progress(root).trim().split('\n');
    expect(now.filter((one) => one.includes('#500 '))).toHaveLength(1);
    expect(now.every((one) => /^1970-01-01 #\d+ Work: x{300} … \(session \d{8}\)$/.test(one))).toBe(true);
    expect(progress(root).length + progress(root, 'progress.old.txt').length).toBeLessThan(140_000);
  });

  it('a progress file that is a link or no file stays as it is, and the journal is written all the same', async () => {
    const { project } = await scripted({ 1: [[done('Looked.')]] });
    writeFileSync(join(project.root, 'mine.txt'), 'mine\n');
    symlinkSync('../mine.txt', join(project.root, '.ralph/progress.txt'));
    await project.json('add', 'Look around', '--kind', 'investigate');
    expect((await project.within('run')).stdout).toContain('.ralph/progress.txt cannot be written (ELOOP)');
    expect(readFileSync(join(project.root, 'mine.txt'), 'utf8')).toBe('mine\n');
    expect(linesOf(project, '_.jsonl')).toHaveLength(1);
  });
});

describe('the journal of a run', () => {
  it('the line of a done without a change says what the person made of it', async () => {
    const nothing = { verb: 'done', args: { summary: 'It is so.', no_change_reason: 'It was so before.' } };
    const { project } = await scripted({ 1: [[nothing]], 2: [[nothing], [shell('echo 2 > 2.txt'), done()]] });
    await project.json('add', 'Accepted');
    await project.json('add', 'Not accepted');
    expect(await project.within('run')).toMatchObject({ code: 10 });
    // How these sessions ended is the person's to say, and a line is written once.
    expect(existsSync(join(project.root, '.ralph/memory'))).toBe(false);
    await project.json('answer', '1', 'approve');
    await project.json('answer', '2', 'Write it into 2.txt.');
    expect(await project.within('run')).toMatchObject({ code: 0 });
    const lines = linesOf(project, '_.jsonl') as { task?: number; outcome: string }[];
    expect(lines.map(({ task, outcome }) => [task, outcome])).toEqual([
      [1, 'done'],
      [2, 'needs_approval'],
      [2, 'done'],
    ]);
  });

  it('the journal has a line for every session, with what it said and learned, and ralph log --feature reads it', async () => {
    const { project } = await worked();
    expect(linesOf(project, 'auth.jsonl')).toMatchObject([
      {
        outcome: 'partial',
        attempt: 1,
        summary: 'half Remaining: rest',
        decisions: ['Tokens are hashed'],
        learned: [
          { body: 'Tokens are hashed', category: 'decision', scope: 'feature', reason: 'it was measured' },
        ],
      },
      {
        outcome: 'done',
        attempt: 2,
        verb: 'done',
        commit: expect.stringMatching(/^[0-9a-f]{40}$/),
        given: [expect.any(String)],
      },
    ]);
    expect(linesOf(project, '_.jsonl')).toMatchObject([{ task: 2, feature: null, given: [] }]);
    const { stdout } = await project.within('log', '--feature', 'auth');
    expect(stdout).toMatch(
      /#1 Sign in\n {2}partial {2}try 1 .*\n {2}half Remaining: rest\n {2}decided: Tokens are hashed/,
    );
    expect(await project.within('log', '--feature', 'billing')).toMatchObject({
      stdout: 'The journal has no session of billing yet.\n',
    });
  });

  it('the journal has the line of a session before the next one begins', async () => {
    const { project, write } = await scripted({ 1: [[done('One.')]] });
    write(2, [[shell(`cp '${project.root}/.ralph/memory/_.jsonl' seen.jsonl`), done('Two.')]]);
    for (const title of ['One', 'Two']) await project.json('add', title);
    expect(await project.within('run')).toMatchObject({ code: 0 });
    const seen = readFileSync(join(project.root, 'seen.jsonl'), 'utf8').trim().split('\n');
    expect(seen.map((line) => JSON.parse(line))).toMatchObject([{ task: 1, outcome: 'done' }]);
  });

  it('a run that cannot write the journal says so and goes on, and the next run adds the lines', async () => {
    const { project } = await scripted({ 1: [[done()]], 2: [[done()]] });
    writeFileSync(join(project.root, '.ralph/memory'), 'in the way');
    await project.json('add', 'One');
    const ran = await project.within('run');
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('.ralph/memory is no folder') });
    rmSync(join(project.root, '.ralph/memory'));
    await project.json('add', 'Two');
    expect(await project.within('run')).toMatchObject({ code: 0 });
    expect(linesOf(project, '_.jsonl')).toMatchObject([{ task: 1 }, { task: 2 }]);
  });

  it('a journal that cannot be written does not keep the journals of other features from being written', async () => {
    const root = tempDir();
    const queue = await openTestQueue();
    mkdirSync(join(root, '.ralph/memory/auth.jsonl'), { recursive: true });
    for (const feature of ['auth', 'billing']) {
      await createFeature(queue, { name: feature, fields: {} });
      await addTask(queue, { title: feature, feature });
      await runSession(queue, [{ verb: 'done', summary: 'Built.' }]);
    }
    const place = { queue, root, stateDir: root, slotsFolder: root, config: await readConfig(root) };
    await expect(writeMissingEntries(place)).rejects.toThrow(/\(EISDIR\); check .ralph\/memory\/auth.jsonl/);
    expect((await readJournal(root)).entries).toMatchObject([{ entry: { feature: 'billing' } }]);
    rmSync(join(root, '.ralph/memory/auth.jsonl'), { recursive: true });
    await writeMissingEntries(place);
    expect((await readJournal(root)).entries).toHaveLength(2);
  });

  it('a session of another work tree gets its line there, and here if that tree is gone', async () => {
    const [root, other] = [tempDir(), join(tempDir(), 'other')];
    const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
    const env = { PATH: process.env['PATH'], HOME: root };
    const git = (...args: string[]) => execFileSync('git', [...identity, ...args], { cwd: root, env });
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'Begin');
    git('worktree', 'add', '-q', other);
    const stateDir = findStateDir(root);
    mkdirSync(stateDir, { recursive: true });
    const queue = await openTestQueue();
    await addTask(queue, { title: 'One' });
    await runSession(queue, [{ verb: 'done', summary: 'Built.' }]);
    await queue.store.write((db) => db.updateTable('sessions').set({ root: other }).execute());
    const place = { queue, root, stateDir, slotsFolder: root, config: await readConfig(root) };
    await writeMissingEntries(place);
    expect((await readJournal(root)).entries).toEqual([]);
    git('worktree', 'remove', other);
    await writeMissingEntries(place);
    expect((await readJournal(root)).entries).toHaveLength(1);
  });

  it('the journal restores a lost database: tasks, their states, sessions, learnings, and which were given', async () => {
    const { project } = await worked();
    const { stateDir } = findProject(project.root);
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(stateDir, `ralph.db${suffix}`), { force: true });
    expect(await project.json('import', '.ralph/memory')).toEqual({
      sessions: 3,
      known: 0,
      done: 2,
      tasks: 2,
      learnings: 1,
      problems: [],
    });
    expect(await project.json('show', '1')).toMatchObject({
      title: 'Sign in',
      feature: 'auth',
      status: 'done',
      sessions: [{ outcome: 'partial' }, { outcome: 'done' }],
      comments: [
        {
          body: expect.stringMatching(
            /^Rebuilt from the journal: 2 sessions, the last one done in commit [0-9a-f]{40}\.\n\nAll of it\.$/,
          ),
        },
      ],
    });
    expect(await project.json('learn', 'list')).toMatchObject([
      {
        feature: 'auth',
        category: 'decision',
        body: 'Tokens are hashed',
        reason: 'it was measured',
        given: 1,
      },
    ]);
    expect(await project.json('import', '.ralph/memory')).toMatchObject({
      sessions: 0,
      known: 3,
      learnings: 0,
    });
    expect(await project.json('import', '.ralph/memory/auth.jsonl')).toMatchObject({ known: 2 });
    // The queue goes on, with numbers that nobody has had before.
    expect(await project.json('add', 'Next')).toMatchObject({ id: 3 });
    expect(await project.json('doctor').catch(String)).not.toContain('wrong counter');
  });

  it('Ralph takes only the learnings of a journal whose numbers are other tasks here', async () => {
    const { project } = await worked();
    const { stateDir } = findProject(project.root);
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(stateDir, `ralph.db${suffix}`), { force: true });
    await project.json('init', '--yes', '--new-queue');
    await project.json('add', 'Something else');
    expect(await project.json('import', '.ralph/memory')).toMatchObject({
      sessions: 1,
      tasks: 1,
      learnings: 1,
      problems: [
        expect.stringContaining(
          'auth.jsonl:1: task 1 is a different task here, so Ralph takes over only the learnings',
        ),
        expect.stringContaining('auth.jsonl:2'),
      ],
    });
    expect(await project.json('show', '1')).toMatchObject({ title: 'Something else', status: 'pending' });
    expect(existsSync(join(project.root, '.ralph/memory/auth.jsonl'))).toBe(true);
  });
});

it('the files that a session wrote are recorded with its line, without those it only read and secret ones', async () => {
  const queue = await openTestQueue();
  const root = tempDir();
  await addTask(queue, { title: 'No feature' });
  const { session_id } = await runSession(queue, [{ verb: 'stuck', reason: 'x' }]);
  const used = (name: string, file: string): string => {
    const use = { type: 'tool_use', id: file, name, input: { file_path: join(root, file) } };
    return `${JSON.stringify({ type: 'assistant', message: { content: [use] } })}\n`;
  };
  const folder = sessionDir(root, session_id);
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    streamFile(folder),
    used('Write', 'src/a.ts') + used('Read', 'src/b.ts') + used('Write', '.env'),
  );
  await writeMissingEntries({
    queue,
    root,
    stateDir: root,
    slotsFolder: root,
    config: await readConfig(root),
  });
  expect(await queue.store.read((db) => filesWrittenForTasks(db, [1]))).toEqual(new Map([[1, ['src/a.ts']]]));
});
