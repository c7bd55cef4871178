import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { initialised, type Ran, runWithin, type TestProject } from '../../../support/ralph.ts';

async function withDrafts(...titles: string[]): Promise<TestProject> {
  const project = await initialised();
  writeFileSync(join(project.root, '.ralph/features.yaml'), 'features: [{ name: orders }, { name: mail }]\n');
  for (const title of titles) await project.json('add', title, '--draft');
  return project;
}

const env = ({ home }: TestProject) => ({ HOME: home, PATH: process.env['PATH'] });

/** What a person types to each question; then Ctrl-C. */
async function atTerminal(
  project: TestProject,
  answers: readonly string[],
  editor = 'true',
): Promise<Ran & { questions: string[] }> {
  const questions: string[] = [];
  const ask = async (question: string): Promise<string> => {
    const answer = answers[questions.length];
    questions.push(question);
    if (answer === undefined) throw Object.assign(new Error('Aborted with Ctrl+C'), { code: 'ABORT_ERR' });
    return answer;
  };
  const options = { cwd: project.root, env: { ...env(project), EDITOR: editor }, ask };
  return { ...(await runWithin(['approve'], options)), questions };
}

describe('ralph approve', () => {
  it('ralph approve queues drafts by number, by feature or all, and drops others at the same time', async () => {
    const project = await withDrafts('One', 'Two', 'Three', 'Four', 'Five');
    await project.json('edit', '3', '--feature', 'orders');
    await project.json('edit', '4', '--feature', 'orders');
    expect(await project.json('approve', '1', '--drop', '2')).toMatchObject([
      { id: 1, status: 'pending' },
      { id: 2, status: 'skipped' },
    ]);
    expect(await project.json('approve', '--feature', 'orders', '--drop', '4')).toMatchObject([
      { id: 3, status: 'pending' },
      { id: 4, status: 'skipped' },
    ]);
    expect(await project.json('approve', '--all')).toMatchObject([{ id: 5, status: 'pending' }]);
    expect(await project.json('approve', '--all')).toEqual([]);
  });

  it('ralph approve shows the discipline of each draft, or that it has none', async () => {
    const project = await withDrafts('One', 'Two', 'Three');
    await project.json('edit', '1', '--feature', 'orders', '--discipline', 'backend');
    await project.json('edit', '2', '--feature', 'orders');
    const { stdout } = await atTerminal(project, ['q']);
    expect(stdout).toContain(
      '  ~ #1 One [orders, backend]\n  ~ #2 Two [orders, no discipline]\n  ~ #3 Three [no discipline]\n',
    );
    expect(await project.within('approve', '--all')).toMatchObject({
      code: 0,
      stdout: [
        'Queued #1 One.',
        'Queued #2 Two [no discipline].',
        'Queued #3 Three [no discipline].',
        'Give a task its discipline: ralph edit 2 --discipline NAME',
        '',
      ].join('\n'),
    });
  });

  it('ralph approve without a terminal needs numbers, and a wrong number changes nothing', async () => {
    const project = await withDrafts('One', 'Two');
    await project.json('add', 'Queued');
    const run = (...args: string[]) =>
      runWithin(['approve', ...args], { cwd: project.root, env: env(project) });
    const refused: [string[], number, string][] = [
      [[], 2, 'Say which drafts: ralph approve 8 9, or --all, or --feature NAME.'],
      [['--json'], 2, 'Say which drafts: ralph approve 8 9, or --all, or --feature NAME.'],
      [['1', '--all'], 2, 'Give numbers of drafts, or --all, or --feature; not both.'],
      [['1', '--drop', '1'], 1, 'Task 1 cannot be both queued and dropped.'],
      [['1', '--drop', '3'], 1, 'Task 3 is queued, not a draft; to skip it: ralph skip 3'],
      [['1', '9'], 1, 'There is no task 9; ralph list shows all tasks.'],
    ];
    for (const [args, code, sentence] of refused)
      expect(await run(...args)).toEqual({ code, stdout: '', stderr: `ralph: ${sentence}\n` });
    expect(await project.json('list', '--status', 'draft')).toHaveLength(2);
  });

  it('ralph approve on a terminal asks about each draft, and stores each decision at once', async () => {
    const project = await withDrafts('One', 'Two', 'Three', 'Four');
    const { code, stdout, questions } = await atTerminal(project, ['s', '?', 'a', 'drop', 'l']);
    expect(questions[0]).toBe('#1 One: [a]pprove, [s]how, [e]dit, [d]rop, [l]ater, [q]uit? ');
    expect(stdout).toContain('4 drafts:\n  ~ #1 One [no discipline]\n');
    expect(stdout).toContain('created ');
    expect(stdout).toContain('Type one of the letters.\nQueued #1 One [no discipline].\nDropped #2 Two.\n');
    expect(stdout).toMatch(/1 queued, 1 dropped, 2 drafts left\.\nGive a task its discipline: .*\n$/);
    expect(code).toBe(0);
    expect(await project.json('list')).toMatchObject([
      { status: 'pending' },
      { status: 'skipped' },
      { status: 'draft' },
      { status: 'draft' },
    ]);
    expect((await atTerminal(project, ['q'])).stdout).toMatch(/0 queued, 0 dropped, 2 drafts left\.\n$/);
  });

  it('ralph approve proposes dependencies that drafts seem to lack, and adds them if a person wants that', async () => {
    const files = async (): Promise<TestProject> => {
      const project = await initialised();
      const draft = (id: number, more: string) =>
        `  - { id: ${id}, title: T${id}, status: draft, ${more} }\n`;
      const lines = [
        draft(1, 'output_artifacts: [src/a.ts]'),
        draft(2, 'context_files: [src/a.ts]'),
        draft(3, 'description: Reads src/a.ts., depends_on: []'),
      ];
      writeFileSync(join(project.root, '.ralph/tasks.yaml'), `tasks:\n${lines.join('')}`);
      return project;
    };
    const project = await files();
    const links = async ({ json }: TestProject) =>
      ((await json('list')) as { depends_on: number[] }[]).map(({ depends_on }) => depends_on);
    // The file owns the dependencies of #3.
    expect((await project.within('approve', '1', '2', '3')).stdout).toMatch(
      /A dependency seems to be missing:\n {2}#2 after #1, which writes src\/a\.ts\nAdd: ralph edit 2 --depends-on 1\n$/,
    );
    expect(await links(project)).toEqual([[], [], []]);
    const second = await files();
    await second.within('approve', '--all', '--add-dependencies');
    expect(await links(second)).toEqual([[], [1], []]);
    const third = await files();
    expect((await atTerminal(third, ['a', 'a', 'y', 'q'])).questions.slice(1, 3)).toEqual([
      '#2 T2: [a]pprove, [s]how, [e]dit, [d]rop, [l]ater, [q]uit? ',
      'Add? [y/N] ',
    ]);
    expect(await links(third)).toEqual([[], [1], []]);
  });

  it('ralph approve opens a draft as YAML, and keeps an edit that has an error', async () => {
    const project = await withDrafts('One');
    const fill =
      'sed -i "s/^title: .*/title: Better/; s/^feature:.*/feature: orders/; s/^tags:.*/tags: [a, b]/"';
    await atTerminal(project, ['e', 'q'], fill);
    expect(await project.json('show', '1')).toMatchObject({
      title: 'Better',
      feature: 'orders',
      tags: ['a', 'b'],
      description: null,
      status: 'draft',
    });
    await atTerminal(project, ['e', 'q'], 'sed -i "s/^feature:.*/feature:/; /^tags:/,\\$d"');
    expect(await project.json('show', '1')).toMatchObject({ feature: null, tags: ['a', 'b'] });
    // The first time it breaks the file, the second time it finds that and mends it.
    const twice =
      'f() { grep -q wrong "$1" && sed -i "s/wrong: .*/priority: high/" "$1" || sed -i "s/^priority: .*/wrong: 1/" "$1"; }; f';
    const { stdout } = await atTerminal(project, ['e', 'e', 'a'], twice);
    expect(stdout).toMatch(/task-1\.yaml:\d+:1: unknown key "wrong".* Nothing was changed; edit it again\./);
    expect(await project.json('show', '1')).toMatchObject({ priority: 'high', status: 'pending' });
  });
});
