import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProject } from '../../src/host/project.ts';
import { readJournal } from '../../src/project/journal/journal.ts';
import { readConfig } from '../../src/project/read-config.ts';
import { createFeature } from '../../src/queue/definitions/create.ts';
import { addTask } from '../../src/queue/tasks/add.ts';
import { writeMissingEntries } from '../../src/supervisor/deferred-writes.ts';
import { openTestQueue, runSession } from '../support/queue.ts';
import type { TestProject } from '../support/ralph.ts';
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
    const { project } = await scripted({
      1: [[done('One.')]],
      2: [[shell('cp .ralph/memory/_.jsonl seen.jsonl'), done('Two.')]],
    });
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
    const place = { queue, root, stateDir: root, config: await readConfig(root) };
    await expect(writeMissingEntries(place)).rejects.toThrow(/\(EISDIR\); check .ralph\/memory\/auth.jsonl/);
    expect((await readJournal(root)).entries).toMatchObject([{ entry: { feature: 'billing' } }]);
    rmSync(join(root, '.ralph/memory/auth.jsonl'), { recursive: true });
    await writeMissingEntries(place);
    expect((await readJournal(root)).entries).toHaveLength(2);
  });

  it('the journal restores a lost database: tasks, their states, sessions, learnings, and which were given', async () => {
    const { project } = await worked();
    const { stateDir } = findProject(project.root);
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(stateDir, `ralph.db${suffix}`), { force: true });
    expect(await project.json('import', '.ralph/memory')).toEqual({
      sessions: 3,
      known: 0,
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
