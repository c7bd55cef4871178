import { describe, expect, it } from 'vitest';
import { parseJournal } from '../../../src/project/journal/journal.ts';
import { rebuild } from '../../../src/queue/journal/rebuild.ts';
import { listLearnings } from '../../../src/queue/learnings/learnings.ts';
import { addTask } from '../../../src/queue/tasks/add.ts';
import { show } from '../../../src/queue/tasks/show.ts';
import { filesWrittenForTasks } from '../../../src/store/tasks/written-files.ts';
import { entry } from '../../support/journal.ts';
import { openTestQueue } from '../../support/queue.ts';

const line = (session: string, more: object = {}): string =>
  JSON.stringify({
    ...entry(session, { feature: null, outcome: 'gate_failed', files: [], commands: [] }),
    ...more,
  });

const learned = (body: string, scope = 'project') => ({ category: 'gotcha', scope, body, reason: null });
const linesOf = (...lines: string[]) => parseJournal('auth.jsonl', lines.join('\n'));

describe('a journal that another program may have written', () => {
  it('a rebuild adds no learning that ralph learn would refuse', async () => {
    const queue = await openTestQueue();
    const bodies = [`Use ghp_${'a1B2c3'.repeat(6)}`, 'x'.repeat(2_001), ' ', 'Times are UTC'];
    const { entries } = linesOf(line('a', { learned: bodies.map((body) => learned(body)) }));
    expect(await rebuild(queue, entries)).toMatchObject({
      learnings: 1,
      problems: [
        expect.stringMatching(/^auth.jsonl:1: The learning holds what looks like a GitHub token/),
        expect.stringContaining('2001 characters long'),
        expect.stringContaining('is empty'),
      ],
    });
  });

  it('a second rebuild confirms no learning', async () => {
    const queue = await openTestQueue();
    await addTask(queue, { title: 'Another one' });
    const { entries } = linesOf(line('a', { learned: [learned('Times are UTC')] }));
    for (const _ of [1, 2, 3]) await rebuild(queue, entries);
    expect((await listLearnings(queue, {}, 10)).learnings).toMatchObject([{ confirmations: 0 }]);
  });

  it('a rebuild adds to the attempts of a task and resets none', async () => {
    const queue = await openTestQueue();
    await rebuild(queue, linesOf(line('a')).entries);
    await rebuild(queue, linesOf(line('a'), line('b', { attempt: 2 })).entries);
    expect(await show(queue, 1)).toMatchObject({ attempts: 2 });
  });

  it('a rebuild knows again which files of the project a task wrote', async () => {
    const queue = await openTestQueue();
    await rebuild(queue, linesOf(line('a', { files: ['src/a.ts', '../b.ts'] })).entries);
    expect(await queue.store.read((db) => filesWrittenForTasks(db, [1]))).toEqual(
      new Map([[1, ['src/a.ts']]]),
    );
  });

  it('a rebuild keeps a learning of task scope with its task, also without a feature', async () => {
    const queue = await openTestQueue();
    await rebuild(queue, linesOf(line('a', { learned: [learned('Half is done', 'task')] })).entries);
    expect((await listLearnings(queue, {}, 10)).learnings).toMatchObject([{ scope: 'task', task_id: 1 }]);
  });

  it('a journal line that is too large, or whose session id is a path, is reported', () => {
    const huge = Array.from({ length: 40_000 }, (_, index) => `f${index}`);
    const { entries, problems } = linesOf(line('a', { files: huge }), line('../../evil'), line('b'));
    expect(entries.map(({ entry }) => entry.session)).toEqual(['b']);
    expect(problems).toHaveLength(2);
  });
});

it('a rebuilt learning counts as helpful only if its session passed at the first attempt', async () => {
  const queue = await openTestQueue();
  await rebuild(
    queue,
    linesOf(line('a', { learned: [learned('Times are UTC')], outcome: 'partial' })).entries,
  );
  const given = (
    await queue.store.read((db) => db.selectFrom('feature_comments').select('hash').execute())
  ).map(({ hash }) => hash);
  await rebuild(queue, linesOf(line('b', { given, outcome: 'done', attempt: 2 })).entries);
  expect((await listLearnings(queue, {}, 9)).learnings).toMatchObject([{ given: 1, passed: 0 }]);
  await rebuild(queue, linesOf(line('c', { given, outcome: 'done', task: 2, title: 'Another' })).entries);
  expect((await listLearnings(queue, {}, 9)).learnings).toMatchObject([{ given: 2, passed: 1 }]);
});
