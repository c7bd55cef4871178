// Whatever a file of another tool holds, it comes in, and a second time changes nothing; the queue stays whole.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Source } from '../../../src/domain/exchange/backlog.ts';
import { findCycle } from '../../../src/domain/tasks/dag.ts';
import { readBacklog } from '../../../src/project/exchange/import/index.ts';
import { importBacklog } from '../../../src/queue/exchange/import-backlog.ts';
import { checkHealth } from '../../../src/queue/queue.ts';
import { list } from '../../../src/queue/tasks/list.ts';
import { lastEventId } from '../../../src/store/events.ts';
import { withQueue } from '../../support/queue.ts';
import { tries } from '../../support/tries.ts';

const id = fc.oneof(fc.nat(5), fc.nat(5).map(String), fc.string({ unit: 'grapheme', maxLength: 4 }));
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('', 'a\nb', '\0', '\ud800', '- [ ] x'),
);
/** What a field may hold instead of what it should. */
const anything = fc.oneof(
  { weight: 8, arbitrary: text },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) },
);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const ids = fc.oneof(
  { weight: 9, arbitrary: fc.array(id, { maxLength: 3 }) },
  { weight: 1, arbitrary: anything },
);

const prd = fc.record({
  branchName: maybe(text),
  userStories: fc.array(
    fc.record({
      id: maybe(id),
      title: maybe(anything),
      description: maybe(anything),
      acceptanceCriteria: maybe(fc.oneof(fc.array(anything, { maxLength: 2 }), anything)),
      priority: maybe(fc.oneof(fc.double(), anything)),
      passes: maybe(fc.boolean()),
      notes: maybe(anything),
    }),
    { maxLength: 6 },
  ),
});

const masterTask = {
  title: maybe(anything),
  status: maybe(fc.constantFrom('done', 'pending', 'weird', 3)),
  dependencies: ids,
};
const taskMaster = fc.dictionary(
  fc.string({ unit: 'grapheme', maxLength: 5 }),
  fc.record({
    tasks: fc.array(
      fc.record({
        id: maybe(id),
        details: anything,
        subtasks: maybe(fc.array(fc.record({ id: maybe(id), ...masterTask }), { maxLength: 3 })),
        ...masterTask,
      }),
      { minLength: 1, maxLength: 5 },
    ),
  }),
  { minKeys: 1, maxKeys: 2 },
);

const beads = fc.array(
  fc.record({
    id: fc.nat(5).map((number) => `bd-${number}`),
    title: text,
    status: fc.constantFrom('open', 'closed', 'pinned', 'custom'),
    priority: maybe(fc.integer({ min: -3, max: 9 })),
    parent: maybe(id.map((one) => `bd-${one}`)),
    dependencies: maybe(
      fc.array(
        fc.record({
          depends_on_id: fc.nat(6).map((number) => `bd-${number}`),
          type: fc.constantFrom('blocks', 'parent-child', 'tracks', 'odd'),
        }),
        { maxLength: 3 },
      ),
    ),
  }),
  { minLength: 1, maxLength: 6 },
);

const implementation = fc.record({
  specs: fc.array(
    fc.record({
      id: maybe(id),
      name: maybe(anything),
      priority: maybe(fc.double()),
      status: maybe(anything),
      dependsOn: maybe(ids),
      tasks: maybe(
        fc.array(
          fc.record({
            id: maybe(id),
            description: maybe(anything),
            status: maybe(anything),
            parent: maybe(id),
            dependsOn: maybe(ids),
            discipline: maybe(text),
            estimatedTurns: maybe(fc.double()),
          }),
          { maxLength: 4 },
        ),
      ),
    }),
    { maxLength: 3 },
  ),
});

const markdown = fc
  .array(
    fc.tuple(
      fc.nat(3),
      fc.constantFrom(
        ...['- [ ] ', '* [x] ', '1. [-] ', '- [ ]* ', '- [ ] T001 [P] ', '# ', '## ', '### ', '', '```'],
        ...['<!--', '-->', '## Task 1: ', '### Notes', '**Acceptance Criteria:**', '---'],
      ),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((lines) =>
    ['- [ ] first', ...lines.map(([depth, mark, words]) => `${'  '.repeat(depth)}${mark}${words}`)].join(
      '\n',
    ),
  );

const claudeTasks = fc.array(
  fc.record({
    id: maybe(id),
    subject: text,
    status: fc.constantFrom('pending', 'completed', 'odd'),
    blockedBy: maybe(ids),
    blocks: maybe(ids),
  }),
  { minLength: 1, maxLength: 5 },
);

const github = fc.array(
  fc.record({
    number: fc.nat(5),
    title: text,
    body: maybe(anything),
    state: maybe(anything),
    labels: maybe(ids),
  }),
  { minLength: 1, maxLength: 5 },
);

const field = text.map((one) => `"${one.replaceAll('"', '""')}"`);
const jira = fc
  .array(fc.tuple(fc.nat(4), field, field, fc.nat(5)), { minLength: 1, maxLength: 5 })
  .map((rows) =>
    [
      'Issue key,Summary,Description,Inward issue link (Blocks)',
      ...rows.map(([key, title, body, other]) => `A-${key},${title},${body},A-${other}`),
    ].join('\n'),
  );

const file: fc.Arbitrary<[Source, string]> = fc.oneof(
  claudeTasks.map((value): [Source, string] => ['claude-tasks', JSON.stringify(value)]),
  github.map((value): [Source, string] => ['github', JSON.stringify(value)]),
  jira.map((value): [Source, string] => ['jira', value]),
  prd.map((value): [Source, string] => ['prd', JSON.stringify(value)]),
  taskMaster.map((value): [Source, string] => ['task-master', JSON.stringify(value)]),
  beads.map((lines): [Source, string] => ['beads', lines.map((line) => JSON.stringify(line)).join('\n')]),
  implementation.map((value): [Source, string] => ['implementation', JSON.stringify(value)]),
  markdown.map((text_): [Source, string] => ['markdown', text_]),
);

/** Not in the order of their names: the link that is left out must be the same the second time. */
const FEATURES_IN_A_CYCLE: [Source, string] = [
  'implementation',
  '{"specs":[{"id":1,"dependsOn":["0"]},{"id":"0","dependsOn":[1]}]}',
];

/** Some of these tasks have links after the first import, and some have none. */
const PARTS_IN_A_CYCLE: [Source, string] = [
  'task-master',
  JSON.stringify({
    '': {
      tasks: [
        { id: '4', details: '', subtasks: [{ dependencies: [3] }], dependencies: '' },
        { id: '0', details: null, subtasks: [{ dependencies: ['4'] }], dependencies: [] },
        { id: 3, details: '', dependencies: ['0', 4] },
      ],
    },
  }),
];

it('every file is imported whole, a second import changes nothing, and the queue has no cycle', async () => {
  await fc.assert(
    fc.asyncProperty(file, ([source, content]) =>
      withQueue(async (queue) => {
        const backlog = readBacklog(content, 'f', source);
        const first = await importBacklog(queue, backlog, 'f');
        const tasks = await list(queue, {});
        expect(first).toMatchObject({ added: tasks.length, updated: 0, unchanged: 0 });
        expect(tasks.length).toBe(backlog.tasks.length);
        expect(findCycle(new Map(tasks.map((task) => [task.id, task.depends_on])))).toBeNull();
        expect(await checkHealth(queue)).toMatchObject({ miscounted: [] });
        const before = await queue.store.read(lastEventId);
        const again = await importBacklog(queue, readBacklog(content, 'g', source), 'g');
        expect(again).toMatchObject({ added: 0, updated: 0, unchanged: tasks.length, gone: [] });
        expect(again.features).toMatchObject({ added: 0, updated: 0 });
        expect(await queue.store.read(lastEventId)).toBe(before);
      }),
    ),
    { numRuns: tries(40), examples: [[FEATURES_IN_A_CYCLE], [PARTS_IN_A_CYCLE]] },
  );
});
