// A file of another tool is imported once and again: what it adds, what it changes, and what Ralph keeps.
import { describe, expect, it } from 'vitest';
import type { Backlog, ImportReport, Source } from '../../../src/domain/exchange/backlog.ts';
import { markdownFormat } from '../../../src/project/exchange/export/markdown.ts';
import { readBacklog } from '../../../src/project/exchange/import/index.ts';
import { applyDefinitions, NO_DEFINITIONS } from '../../../src/queue/definitions/apply-definitions.ts';
import { exportBacklog } from '../../../src/queue/exchange/export-backlog.ts';
import { importBacklog } from '../../../src/queue/exchange/import-backlog.ts';
import type { Queue } from '../../../src/queue/queue.ts';
import { checkHealth } from '../../../src/queue/queue.ts';
import { startRun } from '../../../src/queue/sessions/runs.ts';
import { claim } from '../../../src/queue/tasks/claim.ts';
import { skip } from '../../../src/queue/tasks/decide.ts';
import { editTask } from '../../../src/queue/tasks/edit.ts';
import { featureDetails } from '../../../src/queue/tasks/features.ts';
import { list } from '../../../src/queue/tasks/list.ts';
import { show, type TaskDetails } from '../../../src/queue/tasks/show.ts';
import { lastEventId } from '../../../src/store/events.ts';
import { importFile } from '../../support/import-files.ts';
import { newSessionId, openTestQueue, runSession } from '../../support/queue.ts';

const bring = (queue: Queue, source: Source, text: string, file = 'file'): Promise<ImportReport> =>
  importBacklog(queue, readBacklog(text, file, source), file);

async function taskFrom(queue: Queue, id: string): Promise<TaskDetails> {
  for (const task of await list(queue, {})) {
    const details = await show(queue, task.id);
    if (details.references.some((reference) => reference.id === id)) return details;
  }
  throw new Error(`nothing came from ${id}`);
}

type Story = { id: string; title: string; passes?: boolean; [more: string]: unknown };
const prd = (stories: readonly Story[], branchName = 'ralph/x'): string =>
  JSON.stringify({ branchName, userStories: stories });

describe.each(['beads', 'markdown'] as const)('%s', (source) => {
  it(`a ${source} file that was moved is the same board, and a second import changes nothing`, async () => {
    const queue = await openTestQueue();
    const first = await bring(queue, source, importFile(source));
    expect(first).toMatchObject({ added: (await list(queue, {})).length, updated: 0, unchanged: 0 });
    const before = await queue.store.read(lastEventId);
    const again = await bring(queue, source, importFile(source), 'moved-elsewhere');
    expect(again).toMatchObject({ added: 0, updated: 0, unchanged: first.added, gone: [] });
    expect(again.features).toMatchObject({ added: 0, updated: 0 });
    expect(await queue.store.read(lastEventId)).toBe(before);
    expect(await checkHealth(queue)).toMatchObject({ miscounted: [] });
  });
});

it('a checklist that is imported, exported and imported again changes nothing', async () => {
  const queue = await openTestQueue();
  const boxes = ['- [ ] Use Map<string, number>', '  - [ ] Show --> here', '- [ ] #12 is 50% or 3%3E2'];
  await bring(queue, 'markdown', ['# Work', '## Api', ...boxes].join('\n'));
  const plan = await exportBacklog(queue, markdownFormat);
  expect(plan).toMatch(/^- \[ \] #3 #12 is 50% or 3%3E2 <!-- ralph:Api/m);
  expect(await bring(queue, 'markdown', plan)).toMatchObject({ added: 0, updated: 0, unchanged: 3 });
});

describe('an import', () => {
  it('a task imported as done gets a comment that it is not verified, with all fields that Ralph has no column for', async () => {
    const queue = await openTestQueue();
    await bring(queue, 'beads', importFile('beads'), 'issues.jsonl');
    const { status, completed, comments } = await taskFrom(queue, 'bk-b2');
    expect({ status, completed }).toEqual({ status: 'done', completed: Date.parse('2026-01-03T10:00:00Z') });
    expect(comments.map(({ body }) => body)).toEqual([
      'Imported as closed from issues.jsonl; Ralph has not verified it.',
      'From issues.jsonl:\nclose_reason: Merged as 12ab34c',
    ]);
  });

  it.each(['constructor', '__proto__'])('an import accepts the name %s in every field', async (word) => {
    const queue = await openTestQueue();
    const spec = `{"id":"${word}","status":"${word}","tasks":[{"id":"${word}","description":"One","status":"${word}","${word}":"kept"}]}`;
    expect(await bring(queue, 'implementation', `{"specs":[${spec}]}`)).toMatchObject({
      added: 1,
      kept: Object.fromEntries([[word, 1]]),
      problems: [
        `${word} has the unknown status ${word}; it was imported as active.`,
        `${word} has the unknown status ${word}; it was imported as pending.`,
      ],
    });
    const dependencies = ['x', 'y'].map((id) => ({ depends_on_id: id, type: word }));
    await bring(queue, 'beads', JSON.stringify({ id: 'a', title: 'Two', status: 'open', dependencies }));
    const { comments } = await taskFrom(queue, 'a');
    expect(comments.map(({ body }) => body)).toEqual([`From file:\n${word}: x, y`]);
  });

  it('an imported parent waits for its parts, and they for its dependencies', async () => {
    const queue = await openTestQueue();
    await bring(queue, 'task-master', importFile('task-master'));
    const whole = await taskFrom(queue, 'master 2');
    const first = await taskFrom(queue, 'master 1');
    const parts = await Promise.all(['2.1', '2.2', '2.3'].map((id) => taskFrom(queue, `master ${id}`)));
    expect(whole.depends_on).toEqual([first.id, ...parts.map(({ id }) => id)]);
    expect(parts.map(({ parent }) => parent)).toEqual([whole.id, whole.id, whole.id]);
    expect(parts[0]?.depends_on).toEqual([first.id]);
  });

  it('an import reports missing, circular and own links, and leaves them out', async () => {
    const queue = await openTestQueue();
    const { problems } = await bring(queue, 'task-master', importFile('task-master'));
    expect(problems).toContain('master 3 depends on master 9, which does not exist; that link was left out.');
    expect(problems).toContain(
      'mobile 2 depends on mobile 1, which closes the cycle mobile 1 → mobile 2 → mobile 1; that link was left out.',
    );
    const lines = [
      { id: 'a', title: 'A', status: 'open', parent: 'b', dependencies: [link('a', 'a')] },
      { id: 'b', title: 'B', status: 'open', parent: 'a' },
      { id: 'c', title: 'C', status: 'open', parent: 'nobody' },
    ];
    const beads = await bring(queue, 'beads', lines.map((line) => JSON.stringify(line)).join('\n'));
    expect(beads.problems).toEqual([
      'a depends on itself; that link was left out.',
      'c is part of nobody, which does not exist; Ralph imported it without a parent.',
      'b is part of a, which closes the cycle a → b → a; it came in without a parent.',
    ]);
  });

  it('an import never closes a cycle with tasks of the queue', async () => {
    const queue = await openTestQueue();
    await bring(queue, 'prd', prd([{ id: '1', title: 'A' }]));
    const beads = (dependencies: object[]): string =>
      [
        { id: 'x', title: 'X', status: 'open' },
        { id: 'y', title: 'Y', status: 'open', dependencies },
      ]
        .map((line) => JSON.stringify(line))
        .join('\n');
    await bring(queue, 'beads', beads([]));
    const [x, y] = [await taskFrom(queue, 'x'), await taskFrom(queue, 'y')];
    await editTask(queue, x.id, { depends_on: [y.id] });
    const { problems } = await bring(queue, 'beads', beads([link('y', 'x')]));
    expect(problems).toEqual(['y depends on x, which closes the cycle x → y → x; that link was left out.']);
  });
});

const link = (issue_id: string, depends_on_id: string): object => ({
  issue_id,
  depends_on_id,
  type: 'blocks',
});

describe('a second import', () => {
  const STORIES: readonly Story[] = [
    { id: 'US-1', title: 'One', description: 'first' },
    { id: 'US-2', title: 'Two' },
    { id: 'US-3', title: 'Three' },
  ];
  const changed = (change: Partial<Story>): string =>
    prd(STORIES.map((story) => (story.id === 'US-1' ? { ...story, ...change } : story)));

  it('a second import applies what the source changed, and adds new tasks', async () => {
    const queue = await openTestQueue();
    await bring(queue, 'prd', prd(STORIES));
    const text = prd([
      { id: 'US-1', title: 'Uno', priority: 'critical' },
      ...STORIES.slice(1),
      { id: 'US-4', title: 'Four', notes: 'n' },
    ]);
    expect(await bring(queue, 'prd', text)).toMatchObject({ added: 1, updated: 1, unchanged: 2 });
    expect(await taskFrom(queue, 'US-1')).toMatchObject({
      title: 'Uno',
      description: null,
      priority: 'critical',
    });
  });

  it('a second import keeps what a person changed here, unless the source changed it too', async () => {
    const queue = await openTestQueue();
    await bring(queue, 'prd', prd(STORIES));
    const { id } = await taskFrom(queue, 'US-1');
    await editTask(queue, id, { title: 'My own words' });
    expect(await bring(queue, 'prd', prd(STORIES))).toMatchObject({ updated: 0 });
    await bring(queue, 'prd', changed({ description: 'new' }));
    expect(await show(queue, id)).toMatchObject({ title: 'My own words', description: 'new' });
    await bring(queue, 'prd', changed({ title: 'Uno' }));
    expect(await show(queue, id)).toMatchObject({ title: 'Uno' });
  });

  it('a second import comments fields without a column only if they are new', async () => {
    const queue = await openTestQueue();
    await bring(queue, 'prd', changed({ notes: 'a' }), 'prd.json');
    await bring(queue, 'prd', changed({ notes: 'a' }), 'prd.json');
    expect(await bring(queue, 'prd', changed({ notes: 'b' }), 'prd.json')).toMatchObject({
      updated: 1,
      kept: { notes: 1 },
    });
    expect((await taskFrom(queue, 'US-1')).comments.map(({ body }) => body)).toEqual([
      'From prd.json:\nnotes: a',
      'From prd.json:\nnotes: b',
    ]);
  });

  it('a task done here stays done, and one closed only in the source is skipped', async () => {
    const queue = await openTestQueue();
    await bring(queue, 'prd', prd(STORIES));
    const { id } = await runSession(queue, [{ verb: 'done', summary: 'Built.' }]);
    expect(await bring(queue, 'prd', prd(STORIES))).toMatchObject({ updated: 0 });
    const passing = STORIES.map((story) => ({ ...story, passes: story.id !== 'US-3' }));
    expect(await bring(queue, 'prd', prd(passing), 'prd.json')).toMatchObject({ updated: 1 });
    expect((await show(queue, id)).status).toBe('done');
    const skipped = await taskFrom(queue, 'US-2');
    expect(skipped).toMatchObject({ status: 'skipped' });
    expect(skipped.comments.at(-1)?.body).toBe('It is passing in prd.json, so it was skipped here.');
  });

  it('a task closed in the source while a session works on it here stays in progress', async () => {
    const queue = await openTestQueue();
    await bring(queue, 'prd', prd([{ id: 'US-1', title: 'One' }]));
    const run_id = await startRun(queue, { pid: process.pid, process_started: null });
    await claim(queue, { run_id, session_id: newSessionId() });
    const report = await bring(queue, 'prd', prd([{ id: 'US-1', title: 'One', passes: true }]));
    expect(report).toMatchObject({
      updated: 0,
      problems: ['US-1 is passing in file, and stays in_progress here.'],
    });
    expect((await taskFrom(queue, 'US-1')).status).toBe('in_progress');
  });

  it('a task reopened in the source reopens its feature', async () => {
    const queue = await openTestQueue();
    const featureStatus = async () => (await featureDetails(queue, 'x')).feature.status;
    await bring(queue, 'prd', prd([{ id: 'US-1', title: 'One', passes: true }]));
    expect(await featureStatus()).toBe('done');
    await bring(queue, 'prd', prd([{ id: 'US-1', title: 'One', passes: false }]));
    expect(await featureStatus()).toBe('active');
  });

  it('a task reopened in the source goes back to the queue, unless it was proven or skipped here', async () => {
    const queue = await openTestQueue();
    const passing = STORIES.map((story) => ({ ...story, passes: true }));
    await bring(queue, 'prd', prd(passing));
    await bring(queue, 'prd', prd(STORIES.map((story) => ({ ...story, passes: false }))));
    expect((await list(queue, {})).map(({ status }) => status)).toEqual(['pending', 'pending', 'pending']);
    const { id } = await runSession(queue, [{ verb: 'done', summary: 'Built.' }]);
    const { id: other } = await taskFrom(queue, 'US-3');
    await skip(queue, [other]);
    await bring(queue, 'prd', prd(passing));
    const report = await bring(queue, 'prd', prd(STORIES.map((story) => ({ ...story, passes: false }))));
    expect((await show(queue, id)).status).toBe('done');
    expect(report.problems).toContain('US-1 is not passing in file, and stays done here.');
  });

  it('an import does not change fields that a definition file owns', async () => {
    const queue = await openTestQueue();
    await bring(queue, 'prd', prd(STORIES));
    const { id } = await taskFrom(queue, 'US-1');
    const tasks = [{ at: 'tasks.yaml:2', id, fields: { title: 'One', priority: 'low' as const }, state: {} }];
    await applyDefinitions(queue, { ...NO_DEFINITIONS, tasks }, 'sync');
    const { problems } = await bring(queue, 'prd', changed({ priority: 1, description: 'new' }));
    expect(await show(queue, id)).toMatchObject({ priority: 'low', description: 'new' });
    expect(problems).toEqual(['US-1 has its priority from .ralph/tasks.yaml; what file says was left out.']);
  });

  it('a second import reports tasks that left the file, and keeps them', async () => {
    const queue = await openTestQueue();
    await bring(queue, 'prd', prd(STORIES));
    const { id } = await taskFrom(queue, 'US-2');
    expect(await bring(queue, 'prd', prd(STORIES.filter((story) => story.id !== 'US-2')))).toMatchObject({
      gone: [id],
      unchanged: 2,
    });
  });

  it('a second import can reverse a link without a cycle', async () => {
    const queue = await openTestQueue();
    const tagged = (first: number[], second: number[]): string =>
      JSON.stringify({
        master: {
          tasks: [
            { id: 1, title: 'A', dependencies: first },
            { id: 2, title: 'B', dependencies: second },
          ],
        },
      });
    await bring(queue, 'task-master', tagged([2], []));
    expect(await bring(queue, 'task-master', tagged([], [1]))).toMatchObject({ updated: 2, problems: [] });
    expect((await taskFrom(queue, 'master 1')).depends_on).toEqual([]);
  });
});

describe('two files of the same kind', () => {
  const stories = (...titles: string[]): Story[] =>
    titles.map((title, index) => ({ id: `US-${index + 1}`, title }));

  it('two files with different tasks under the same ids are two boards', async () => {
    const queue = await openTestQueue();
    await bring(queue, 'prd', prd(stories('A', 'B', 'C'), 'ralph/one'));
    expect(await bring(queue, 'prd', prd(stories('A', 'Y', 'Z'), 'ralph/two'))).toMatchObject({
      board: 'ralph/two',
      added: 3,
    });
    expect(await bring(queue, 'prd', prd(stories('A', 'B', 'C'), 'ralph/one'))).toMatchObject({
      unchanged: 3,
    });
  });

  it('two files that agree in half of their tasks are one board, whatever their names', async () => {
    const queue = await openTestQueue();
    await bring(queue, 'prd', prd(stories('A', 'B'), 'ralph/one'), 'prd.json');
    expect(
      await bring(queue, 'prd', prd(stories('A', 'Bee', 'C'), 'ralph/renamed'), 'old/prd.json'),
    ).toMatchObject({ board: 'ralph/one', added: 1, updated: 2 });
  });

  it('a board is recognized by its own name', async () => {
    const queue = await openTestQueue();
    await bring(queue, 'prd', prd(stories('A'), 'ralph/one'));
    expect(await bring(queue, 'prd', prd(stories('Other words'), 'ralph/one'))).toMatchObject({ updated: 1 });
  });

  it('boards without a name are named by their files, each with its own name', async () => {
    const queue = await openTestQueue();
    const boards: string[] = [];
    for (const box of ['- [ ] A', '- [ ] B'])
      boards.push((await bring(queue, 'markdown', box, 'TODO.md')).board);
    expect(boards).toEqual(['TODO.md', 'TODO.md (2)']);
  });
});

it('an import is all or nothing', async () => {
  const queue = await openTestQueue();
  const whole: Backlog = readBacklog(prd([{ id: '1', title: 'A' }]), 'f', 'prd');
  const broken = { ...whole, tasks: whole.tasks.map((task) => ({ ...task, fields: { title: 'a\0' } })) };
  await expect(importBacklog(queue, broken, 'f')).rejects.toThrow('NUL');
  expect(await queue.store.read(lastEventId)).toBe(0);
});
