// Markdown as people and tools write it: what is a task, what belongs to it, and what is neither.
import { describe, expect, it } from 'vitest';
import type { Backlog } from '../../../src/domain/exchange/backlog.ts';
import { readBacklog, recognise } from '../../../src/project/exchange/import/index.ts';

const read = (...lines: string[]): Backlog => readBacklog(lines.join('\n'), 'TODO.md', 'markdown');
const titles = ({ tasks }: Backlog): string[] => tasks.map(({ fields }) => fields.title);

describe('a checklist', () => {
  it('a heading in a code block changes neither the features nor the tasks', () => {
    const lines = ['# T', '## Phase 1', '- [ ] a'];
    const fenced = read(...lines, '```sh', '# x', '- [ ] no task', '```', '- [ ] b');
    expect(fenced.features.map(({ name }) => name)).toEqual(['Phase 1']);
    expect(titles(fenced)).toEqual(['a', 'b']);
    expect(fenced.tasks[0]?.fields.description).toBe('```sh\n# x\n- [ ] no task\n```');
  });

  it('a shorter fence does not end a code block, and a longer one does', () => {
    expect(titles(read('- [ ] a', '````', '```', '- [ ] code', '`````', '- [ ] b'))).toEqual(['a', 'b']);
  });

  it('a box in a comment is no task, and a comment that never ends is text', () => {
    expect(titles(read('- [ ] a', '<!--', '- [ ] template', '-->', '- [ ] b <!-- later -->'))).toEqual([
      'a',
      'b',
    ]);
    expect(titles(read('- [ ] a', '<!-- open', '- [ ] b'))).toEqual(['a', 'b']);
  });

  it('a letter in brackets is no box, and a star makes a box optional', () => {
    const backlog = read('- [P] parallel', '- [ ]* tests', '- [X] done', '- [x]* too');
    expect(backlog.tasks.map(({ fields, status }) => [fields.title, status])).toEqual([
      ['tests', 'skipped'],
      ['done', 'done'],
      ['too', 'done'],
    ]);
    expect(backlog.tasks[0]?.fields.tags).toEqual(['optional']);
  });

  it('text below a box belongs to it, indented or not, up to a rule or heading', () => {
    const backlog = read('## F', '- [ ] a', '', 'Run it.', '- [ ] b', '', '---', 'Later.', '## G', '- [ ] c');
    expect(backlog.tasks.map(({ fields }) => fields.description)).toEqual(['Run it.', undefined, undefined]);
    expect(backlog.features[0]?.fields.description).toBe('Later.');
  });

  it('sections of criteria and remarks hold no tasks; criteria belong to the feature', () => {
    const backlog = read(
      '## Lending',
      '- [ ] a',
      '### Acceptance Criteria',
      '- [ ] It works',
      '- It is fast',
      '### Notes',
      '- [ ] remember',
      '### Checkpoint: look at it',
      '- [ ] look',
      '### 4. Definition of Done',
      '- [x] reviewed',
    );
    expect(titles(backlog)).toEqual(['a']);
    expect(backlog.features[0]?.fields.acceptance_criteria).toEqual(['It works', 'It is fast', 'reviewed']);
    expect(backlog.problems).toEqual([
      'Boxes under headings such as Notes or Definition of Done are no tasks; left out: 2.',
    ]);
  });

  it('a heading that only begins like a remark holds tasks', () => {
    expect(titles(read('## Notes API', '- [ ] a', '## Dependencies of the build', '- [ ] b'))).toEqual([
      'a',
      'b',
    ]);
  });

  it.each([
    ['**Step 1: Write it**', 'Step 1: Write it', undefined],
    ['Use `a*b*c` and __this__', 'Use `a*b*c` and this', undefined],
    ['See [the docs](docs/x.md)', 'See the docs', 'See [the docs](docs/x.md)'],
    ['T012 [P] [US2] Add it', 'Add it', undefined],
    ['1.2 Add it', 'Add it', undefined],
    ['3 retries are enough', '3 retries are enough', undefined],
    [
      `${'word '.repeat(10)}end. ${'more '.repeat(20)}`,
      `${'word '.repeat(10)}end`,
      expect.stringMatching(/^word .*more$/),
    ],
    ['x'.repeat(300), `${'x'.repeat(99)}…`, 'x'.repeat(300)],
  ])('the box %s has the title %s', (label, title, description) => {
    const [task] = read(`- [ ] ${label}`).tasks;
    expect(task?.fields).toMatchObject({ title });
    expect(task?.fields.description).toEqual(description);
  });

  it('numbered boxes follow each other, and parallel ones side by side', () => {
    const backlog = read(
      '## A',
      '- [ ] T001 a',
      '- [ ] T002 [P] b',
      '- [ ] T003 [P] c',
      '## B',
      '- [ ] T004 [P] d',
    );
    expect(backlog.tasks.map(({ id, depends_on }) => [id, depends_on])).toEqual([
      ['T001', []],
      ['T002', ['T001']],
      ['T003', ['T001']],
      ['T004', ['T002', 'T003']],
    ]);
    expect(read('- [ ] T001 a', '- [ ] b').tasks.map(({ depends_on }) => depends_on)).toEqual([[], []]);
  });

  it('thousands of parallel boxes wait for few tasks, and the report says so', () => {
    const phase = (from: number): string[] =>
      Array.from({ length: 500 }, (_, index) => `- [ ] T${from + index} [P] x`);
    const { tasks, problems } = read('## A', ...phase(1000), '## B', ...phase(2000));
    expect(tasks.flatMap(({ depends_on }) => depends_on)).toHaveLength(500);
    expect(problems).toContainEqual(expect.stringContaining('would each wait for 500 tasks'));
  });

  it('lines that would make a pattern slow are read at once', () => {
    const blanks = ' '.repeat(100_000);
    const backlog = read(
      `# a${blanks}b`,
      `- [ ] c${blanks}d`,
      `${'**_'.repeat(50_000)}`,
      `<!-- ralph:${blanks}`,
    );
    expect(backlog.tasks).toHaveLength(1);
  });
});

describe('a plan', () => {
  it('a heading is the task, its boxes are steps, and a plan is followed in its order', () => {
    const backlog = read(
      '# P',
      '### Task 1: One',
      '- [x] a',
      '- [ ] b',
      '### Task 2: Two',
      'Text.',
      '- [x] c',
    );
    expect(backlog.tasks).toMatchObject([
      { id: 'Task 1', status: 'pending', fields: { title: 'One', pseudocode: '- [x] a\n- b', feature: 'P' } },
      { id: 'Task 2', status: 'done', depends_on: ['Task 1'], fields: { description: 'Text.' } },
    ]);
  });

  it('a plan that names dependencies is not a sequence', () => {
    const backlog = read(
      ...['# P', '## Task 1: One', '- [ ] a', '## Task 2: Two', '- [ ] b'],
      ...['## Task 3: Three', '**Depends on:** Task 1', '', '- [ ] c'],
    );
    expect(backlog.tasks.map(({ depends_on }) => depends_on)).toEqual([[], [], ['Task 1']]);
    expect(backlog.tasks[2]?.fields.pseudocode).toBe('- c');
  });

  it('headings of an epic that are stories belong to it, and their criteria may be sentences', () => {
    const backlog = read(
      ...['# Epics', '## Epic 1: Lending', 'Loans.', '### Story 1.1: Lend', '**Acceptance Criteria:**', ''],
      ...[
        '**Given** a book',
        '**When** I lend it',
        '**Then** it is out',
        '',
        '### Story 1.2: Return',
        'Text.',
      ],
    );
    expect(backlog.features).toMatchObject([
      { fields: { display_name: 'Epic 1: Lending', description: 'Loans.' } },
    ]);
    expect(titles(backlog)).toEqual(['Lend', 'Return']);
    expect(backlog.tasks[0]?.fields.acceptance_criteria).toEqual([
      '**Given** a book **When** I lend it **Then** it is out',
    ]);
  });

  it('words about commits stay if they are no order to commit', () => {
    const backlog = read(
      '## Task 1: A',
      '- [ ] Commit messages are checked',
      '- [ ] git commit -am x',
      '- [ ] Commit',
    );
    expect(backlog.tasks[0]?.fields.pseudocode).toBe('- Commit messages are checked');
    expect(backlog.problems).toEqual(['Left out, as no session needs it: a step that says to commit (2).']);
  });
});

describe('the format', () => {
  it.each([
    ['KEP.md', '# KEP\n\n```yaml\nmetadata:\n  name: x\n```\n\n- [ ] a\n'],
    ['notes.txt', '# Work\n\nWhat is left:\n\ntasks:\n- [ ] a\n'],
    ['plan.md', 'tasks:\n- [ ] a\n'],
    ['front.md', '---\ntitle: x\n---\n\n- [ ] a\n'],
  ])('%s with a line like YAML is Markdown', (file, text) => {
    expect(recognise(text, file)).toBe('markdown');
  });

  it.each([
    'tasks:\n  - title: A\n',
    '# My tasks\n---\ntasks:\n  - title: A\n    description: |\n      - [ ] x\n',
  ])('the definitions %j are YAML', (text) => {
    expect(recognise(text, 'backlog.yaml')).toBe('yaml');
  });
});
