// Each file of another tool, read as a person would: what is what, and what has no place of its own.
import { describe, expect, it } from 'vitest';
import { type Backlog, SOURCES, type Source, type SourceTask } from '../../../src/domain/exchange/backlog.ts';
import { readBacklog, recognise } from '../../../src/project/exchange/import/index.ts';
import { IMPORT_FILES, importFile } from '../../support/import-files.ts';

const read = (source: Source): Backlog => readBacklog(importFile(source), IMPORT_FILES[source], source);

function taskOf({ tasks }: Backlog, id: string): SourceTask {
  const task = tasks.find((one) => one.id === id);
  if (task === undefined) throw new Error(`there is no ${id} among ${tasks.map((one) => one.id).join(', ')}`);
  return task;
}

it.each(SOURCES)('a file of %s is recognised by its content', (source) => {
  expect(recognise(importFile(source), 'any-name.txt')).toBe(source);
});

it.each(SOURCES)('a file of %s may have Windows line ends', (source) => {
  const text = importFile(source).replaceAll('\n', '\r\n');
  expect(recognise(text, 'any-name.txt')).toBe(source);
  expect(readBacklog(text, IMPORT_FILES[source], source)).toEqual(read(source));
});

it.each([
  ['tasks:\n  - title: One\n    description: "- [ ] no box"', 'yaml'],
  ['{"tasks": [{"title": "One"}]}', 'yaml'],
  ['{"tasks": [{"id": 1, "title": "One", "dependencies": []}]}', 'task-master'],
  ['{"id":"x-1","title":"One","status":"open"}', 'beads'],
])('the file %s is recognised as %s', (text, format) => {
  expect(recognise(text, 'file')).toBe(format);
});

describe('prd.json', () => {
  it('stories of prd.json are imported in the order of their numbers, with the branch as their feature', () => {
    const backlog = read('prd');
    expect(backlog).toMatchObject({ board: 'ralph/lending', problems: [] });
    expect(backlog.features).toEqual([
      {
        name: 'lending',
        status: null,
        fields: {
          description:
            'Lend books to friends and get them back\n\nproject: Bookshelf\nbranchName: ralph/lending',
        },
      },
    ]);
    expect(backlog.tasks.map(({ id, fields }) => [id, fields.priority])).toEqual([
      ['US-001', 'high'],
      ['US-002', 'medium'],
      ['US-003', 'low'],
    ]);
  });

  it('unknown fields of prd.json are kept as leftovers, and empty ones are dropped', () => {
    expect(taskOf(read('prd'), 'US-002')).toMatchObject({
      status: 'pending',
      leftovers: { notes: 'The mail queue is in src/mail.ts', estimate: '{"points":3}' },
    });
    expect(taskOf(read('prd'), 'US-001')).toMatchObject({
      status: 'done',
      original_status: 'passing',
      leftovers: {},
    });
  });
});

describe("task-master's tasks.json", () => {
  it('tags of task-master become features, and subtasks become children', () => {
    const backlog = read('task-master');
    expect(backlog.features.map(({ name }) => name)).toEqual(['master', 'mobile']);
    expect(taskOf(backlog, 'master 2.3')).toMatchObject({
      parent: 'master 2',
      depends_on: ['master 2.1', 'master 2.2'],
      fields: { feature: 'master', priority: 'medium' },
    });
    expect(taskOf(backlog, 'master 3').depends_on).toEqual(['master 2.2', 'master 9']);
    expect(taskOf(backlog, 'mobile 1')).toMatchObject({ depends_on: ['mobile 2'] });
  });

  it('states of task-master are mapped, and its test strategy becomes a criterion', () => {
    const backlog = read('task-master');
    const states = ['1', '2', '2.3', '3', '4'].map((id) => taskOf(backlog, `master ${id}`).status);
    expect(states).toEqual(['done', 'pending', 'pending', 'skipped', 'skipped']);
    expect(taskOf(backlog, 'master 1').fields).toMatchObject({
      hints: 'Use the migration runner in db/.',
      acceptance_criteria: ['Insert and read back one loan.'],
    });
    expect(taskOf(backlog, 'master 2.2').fields.acceptance_criteria).toEqual([
      'The form is labelled',
      'Errors are shown',
    ]);
    expect(taskOf(backlog, 'master 2').leftovers).toEqual({
      complexity: '5',
      expansionPrompt: 'Split by layer',
    });
  });

  it('unknown values of task-master are reported', () => {
    expect(read('task-master').problems).toEqual([
      'master 4 has the unknown priority someday; it was imported as medium.',
      'The tag mobile has owner: Kim, which Ralph has no field for; it was left out.',
    ]);
  });
});

describe("beads' issues.jsonl", () => {
  it('parents, blockers, tags and times of beads are imported', () => {
    const backlog = read('beads');
    expect(taskOf(backlog, 'bk-b2')).toMatchObject({
      parent: 'bk-a1',
      status: 'done',
      fields: { tags: ['task', 'db', 'schema'], hints: 'One row a loan', priority: 'high' },
      times: { completed: Date.parse('2026-01-03T10:00:00Z') },
      leftovers: { close_reason: 'Merged as 12ab34c' },
    });
    expect(taskOf(backlog, 'bk-c3')).toMatchObject({
      parent: 'bk-a1',
      depends_on: ['bk-b2', 'bk-zz'],
      status: 'pending',
      fields: { acceptance_criteria: ['The loan is stored', 'The book is marked'] },
      leftovers: { notes: 'Look at the old code first', 'discovered-from': 'bk-d4' },
    });
  });

  it('a pinned issue of beads becomes a draft, and an unknown state counts as open', () => {
    const backlog = read('beads');
    expect(taskOf(backlog, 'bk-d4')).toMatchObject({
      status: 'draft',
      leftovers: { comments: 'kim (2026-01-05T10:00:00Z): Please read' },
    });
    expect(taskOf(backlog, 'bk-e5').status).toBe('pending');
    expect(backlog.problems).toEqual([
      'bk-e5 has the unknown status on_ice; it was imported as pending.',
      'Issues that bd ready hides came in as drafts: merge-request (1), ephemeral (1).',
      'Left out, as no session needs it: assignee (1), _type (3), owner (1).',
    ]);
  });
});

describe('implementation.json', () => {
  it('specs of implementation.json become features, and its tasks keep their ids', () => {
    const backlog = read('implementation');
    expect(backlog.features).toEqual([
      {
        name: 'lending',
        status: 'active',
        fields: {
          display_name: 'Lending',
          spec_file: 'specs/lending.md',
          priority: 1,
          acceptance_criteria: ['Books come back'],
          description: 'Loans live in src/loans.ts.',
        },
      },
      expect.objectContaining({ name: 'search', status: 'planned' }),
    ]);
    expect(taskOf(backlog, 'lending-2').fields).toEqual({
      title: 'Create the endpoint',
      feature: 'lending',
      acceptance_criteria: ['A loan is stored'],
    });
    expect(taskOf(backlog, 'lending-3')).toMatchObject({
      status: 'blocked',
      blocked_by: 'no mail server yet',
      leftovers: {},
    });
  });
});

describe('a Markdown checklist', () => {
  it('headings of a checklist become features, and indented boxes become children', () => {
    const backlog = read('markdown');
    expect(backlog.features).toEqual([
      { name: 'Lending', status: null, fields: { description: 'Friends borrow books.' } },
      { name: 'Search', status: null, fields: {} },
    ]);
    expect(backlog.tasks.map(({ id, parent, status }) => [id, parent, status])).toEqual([
      ['Lending / Store loans', null, 'done'],
      ['Lending / Lend a book', null, 'pending'],
      ['Lending / Lend a book / Endpoint', 'Lending / Lend a book', 'done'],
      ['Lending / Lend a book / Page', 'Lending / Lend a book', 'pending'],
      ['Lending / Lend a book / Page / Labels', 'Lending / Lend a book / Page', 'pending'],
      ['Lending / Late fees', null, 'skipped'],
      ['Lending / Later / Store loans', null, 'pending'],
      ['Search / Index titles', null, 'pending'],
      ['Search / Rank results', null, 'pending'],
    ]);
  });

  it('text below a box of a checklist is kept, and left-out lines are reported', () => {
    const backlog = read('markdown');
    expect(taskOf(backlog, 'Lending / Lend a book').fields.description).toBe(
      'The form is on the shelf page.\n- plain notes stay with the task',
    );
    expect(taskOf(backlog, 'Lending / Later / Store loans').fields.description).toBe('Part of: Later');
    expect(taskOf(backlog, 'Search / Rank results').fields.description).toBe('```\n- [ ] not a task\n```');
    expect(backlog.problems).toEqual([
      'Search / Rank results has the unknown status [?]; it was imported as pending.',
      'Lines of text that belong to no task and no feature were left out: 1.',
    ]);
  });
});

describe('ids', () => {
  const prd = (...userStories: object[]): Backlog =>
    readBacklog(JSON.stringify({ userStories }), 'prd.json', 'prd');

  it('ids of a source may be numbers, missing or repeated', () => {
    const backlog = prd({ id: 7, title: 'A' }, { id: '7', title: 'B' }, { title: 'C' }, { id: 'x' });
    expect(backlog.tasks.map(({ id, fields }) => [id, fields.title])).toEqual([
      ['7', 'A'],
      ['7 (2)', 'B'],
      ['C', 'C'],
      ['x', 'x'],
    ]);
    expect(backlog.problems).toEqual([
      'The id 7 occurs twice; the second was imported as 7 (2).',
      'story 3 has no id; Ralph identifies it by its title.',
      'x has no title; it was imported with its id as the title.',
    ]);
  });

  it('a title of several lines or too many characters is kept whole in the description', () => {
    const backlog = prd({ id: 1, title: 'One\ntwo' }, { id: 2, title: 'x'.repeat(600), description: 'd' });
    expect(taskOf(backlog, '1').fields).toEqual({ title: 'One', description: 'One\ntwo' });
    const { title, description } = taskOf(backlog, '2').fields;
    expect(title).toHaveLength(500);
    expect(description).toBe(`${'x'.repeat(600)}\n\nd`);
  });
});

describe('Backlog.md', () => {
  it('a task of Backlog.md has its fields in front, and its sections become description, criteria and steps', () => {
    const backlog = read('backlog-md');
    expect(backlog.tasks.map(({ id, status }) => [id, status])).toEqual([
      ['BACK-1', 'done'],
      ['BACK-1.01', 'pending'],
      ['BACK-2', 'draft'],
    ]);
    expect(taskOf(backlog, 'BACK-1')).toMatchObject({
      fields: {
        title: 'Loans: add a table',
        description: 'One row a loan.\n\n```md\n## No heading\ntasks: none\n```',
        acceptance_criteria: ['A loan is stored', 'It has a date'],
        priority: 'high',
        tags: ['database'],
      },
      leftovers: { 'Implementation Notes': 'Kept small.' },
    });
    // Its links have the prefix that the backlog had before.
    expect(taskOf(backlog, 'BACK-1.01')).toMatchObject({
      parent: 'BACK-1',
      depends_on: ['BACK-1', 'task-9'],
      fields: { pseudocode: '1. Write a test\n2. Write the endpoint' },
    });
  });

  it('fields of Backlog.md that are no YAML are kept as they are', () => {
    const { tasks } = readBacklog('---\nid: [1\n---\nDo it', 'x.md', 'backlog-md');
    expect(tasks).toMatchObject([{ fields: { title: 'Do it' }, leftovers: { fields: 'id: [1' } }]);
  });
});
