// Export writes what Ralph knows; reading it back changes nothing, and builds the same in an empty database.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Definitions } from '../../../src/domain/definition.ts';
import { SOURCES } from '../../../src/domain/exchange/backlog.ts';
import { learnableProblem } from '../../../src/domain/learnings/learning.ts';
import { EFFORTS, PRIORITIES, PROVENANCES, STATUSES } from '../../../src/domain/tasks/task.ts';
import { formatDefinitions } from '../../../src/project/definitions/format-definitions.ts';
import { readDefinitions } from '../../../src/project/definitions/read-definitions.ts';
import { applyDefinitions } from '../../../src/queue/definitions/apply-definitions.ts';
import { exportDefinitions } from '../../../src/queue/definitions/export-definitions.ts';
import type { Queue } from '../../../src/queue/queue.ts';
import { addTask } from '../../../src/queue/tasks/add.ts';
import { lastEventId } from '../../../src/store/events.ts';
import { withQueue } from '../../support/queue.ts';
import { tempDir } from '../../support/temp.ts';
import { tries } from '../../support/tries.ts';

/** Text with everything in it that YAML could misread, but no NUL byte. */
const text = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
    fc.constantFrom(
      'yes',
      'null',
      '- a',
      '# no comment',
      '"quoted"',
      "it's",
      'a: b',
      'line\nbreak\n',
      ' lead',
      '2026-01-01',
      '1e3',
      '~',
      '*x',
      '&x',
      '!tag',
      '\ttab',
      'é\u202e日本',
    ),
  )
  .filter((value) => !value.includes('\0'));
const title = text.map((value) => `t ${value.replace(/[\r\n]/g, ' ')}`.trim());
const list = fc.array(text, { maxLength: 3 });
const time = fc.integer({ min: 1, max: Date.UTC(2100, 0) });
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const name = fc.constantFrom('auth', 'billing', 'search');

type Given<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

const without = <Fields extends object>(fields: Fields): Given<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;

const definitions: fc.Arbitrary<Definitions> = fc
  .record({
    title: optional(text),
    features: fc.uniqueArray(
      fc.record({
        name,
        description: optional(text),
        context_files: optional(list),
        priority: optional(fc.nat(9)),
        created: optional(time),
      }),
      { selector: (feature) => feature.name },
    ),
    skills: list,
    tasks: fc.array(
      fc.record({
        title,
        feature: fc.boolean(),
        description: optional(text),
        priority: optional(fc.constantFrom(...PRIORITIES)),
        provenance: optional(fc.constantFrom(...PROVENANCES)),
        acceptance_criteria: optional(list),
        hints: optional(text),
        tags: optional(list),
        estimated_turns: optional(fc.integer({ min: 1, max: 99 })),
        agent: optional(fc.constantFrom('claude', 'codex')),
        effort: optional(fc.constantFrom(...EFFORTS)),
        status: optional(fc.constantFrom(...STATUSES)),
        blocked_by: optional(text),
        attempts: optional(fc.nat(5)),
        not_before: optional(time),
        created: optional(time),
        comment: optional(text),
        question: optional(text),
        earlier: fc.array(fc.nat(9), { maxLength: 3 }),
        sources: fc.subarray([...SOURCES]),
      }),
      { maxLength: 8 },
    ),
    // What says nothing is no learning, and refused.
    learning: optional(text.filter((value) => learnableProblem(value, null) === null)),
  })
  .map((drawn) => ({
    project: without({ title: drawn.title }),
    disciplines: [{ at: 'd', name: 'backend', fields: { skills: drawn.skills } }],
    features: drawn.features.map(({ name: feature, created, ...fields }) => ({
      at: 'f',
      name: feature,
      fields: without(fields),
      ...without({ created }),
    })),
    tasks: drawn.tasks.map(
      (
        {
          title: named,
          feature,
          status,
          blocked_by,
          attempts,
          not_before,
          created,
          comment,
          question,
          earlier,
          sources,
          ...fields
        },
        index,
      ) => ({
        at: 't',
        id: index + 1,
        fields: {
          title: named,
          ...without(fields),
          ...(feature && drawn.features[0] && { feature: drawn.features[0].name }),
        },
        depends_on: [...new Set(index === 0 ? [] : earlier.map((pick) => (pick % index) + 1))].sort(),
        ...(sources.length > 0 && {
          references: [...sources].sort().map((source) => ({ source, board: 'b', id: `${named} ${index}` })),
        }),
        state: {
          ...without({ status, blocked_by, attempts, not_before, created }),
          ...(comment && { comments: [{ author: 'human' as const, body: comment }] }),
          ...(question && {
            questions: [
              {
                question,
                blocking: true,
                options: [],
                preferred: null,
                answer: null,
                answered: null,
                dismissed: null,
              },
            ],
          }),
        },
      }),
    ),
    learnings:
      drawn.learning === undefined
        ? []
        : [
            {
              at: 'l',
              feature: null,
              scope: 'project',
              category: 'gotcha',
              body: drawn.learning,
              summary: null,
              reason: null,
              discipline: null,
            },
          ],
  }));

const exported = async (queue: Queue) => formatDefinitions(await exportDefinitions(queue));

const referencesIn = async (queue: Queue) =>
  (await exportDefinitions(queue)).tasks.map(({ references }) => references);

async function readBack(files: Map<string, string>, folder: string): Promise<Definitions> {
  for (const [file, content] of files) writeFileSync(join(folder, file), content);
  return readDefinitions(folder, [...files.keys()]);
}

it('an import of an export changes nothing, and rebuilds the same queue in an empty project', async () => {
  const folder = tempDir();
  await fc.assert(
    fc.asyncProperty(definitions, (drawn) =>
      withQueue(async (queue) => {
        await applyDefinitions(queue, drawn, 'import');
        const files = await exported(queue);
        const read = await readBack(files, folder);
        const before = await queue.store.read(lastEventId);
        expect(await applyDefinitions(queue, read, 'import')).toMatchObject({ added: 0, updated: 0 });
        expect(await queue.store.read(lastEventId)).toBe(before);
        // As the project's own files they take over the fields, which is all that changes.
        await applyDefinitions(queue, read, 'sync');
        expect(await exported(queue)).toEqual(files);
        await withQueue(async (other) => {
          await applyDefinitions(other, read, 'import');
          expect(await exported(other)).toEqual(files);
          expect(await referencesIn(other)).toEqual(await referencesIn(queue));
        });
      }),
    ),
    { numRuns: tries(30) },
  );
});

const OLDER_FILE = `
disciplines:
  - name: backend
    image_path: art/backend.png
    crops: { face: { x: 1, y: 2 }, list: [1, "a"] }
    image_prompt: A calm engineer
features:
  - name: auth
    comments:
      - id: 4
        category: gotcha
        discipline: backend
        agent_task_id: 1
        body: The work factor is at most 31
        summary: Factor at most 31
        reason: It panics
        source_iteration: 3
        created: '2026-02-05T18:30:00Z'
      - { body: Nobody knows who made this, agent_task_id: 99 }
    learnings:
      - Tokens are hashed
      - { category: decision, body: Sessions last a day }
tasks:
  - id: 1
    title: Log in
    feature: auth
    comments: [{ author: agent, agent_task_id: 1, body: Failed, created: '2026-02-05T18:30:00Z' }]
`;

it('the learnings and comments of a feature become learnings once, and what Ralph does not use is exported as it was', async () => {
  await withQueue(async (queue) => {
    const folder = tempDir();
    const read = await readBack(new Map([['older.yaml', OLDER_FILE]]), folder);
    await applyDefinitions(queue, read, 'sync');
    expect(await applyDefinitions(queue, read, 'sync')).toMatchObject({ added: 0, updated: 0 });
    const { learnings, disciplines, tasks } = await exportDefinitions(queue);
    expect(learnings).toMatchObject([
      { feature: 'auth', category: 'discovery', body: 'Tokens are hashed' },
      { feature: 'auth', category: 'decision', body: 'Sessions last a day' },
      {
        feature: 'auth',
        scope: 'feature',
        category: 'gotcha',
        discipline: 'backend',
        summary: 'Factor at most 31',
        reason: 'It panics',
        agent_task_id: 1,
        created: Date.UTC(2026, 1, 5, 18, 30),
      },
      { body: 'Nobody knows who made this' },
    ]);
    expect(disciplines[0]?.fields).toEqual({
      image_path: 'art/backend.png',
      crops: { face: { x: 1, y: 2 }, list: [1, 'a'] },
      image_prompt: 'A calm engineer',
    });
    expect(tasks[0]?.state.comments).toMatchObject([{ author: 'agent', agent_task_id: 1, body: 'Failed' }]);
    const files = await exported(queue);
    await withQueue(async (other) => {
      await applyDefinitions(other, await readBack(files, tempDir()), 'import');
      expect(await exported(other)).toEqual(files);
    });
    await expect(
      readBack(new Map([['f.yaml', 'features: [{ name: a, comments: [{ body: b, bdy: c }] }]']]), folder),
    ).rejects.toThrow('unknown key "bdy"; did you mean "body"?');
  });
});

it('an export writes no field that has its default', async () => {
  await withQueue(async (queue) => {
    await addTask(queue, { title: 'One' });
    const text = (await exported(queue)).get('tasks.yaml') ?? '';
    expect(text.replace(/: \d{4}-.*/g, ': TIME')).toBe(
      'tasks:\n  - id: 1\n    title: One\n    status: pending\n    created: TIME\n    updated: TIME\n',
    );
  });
});
