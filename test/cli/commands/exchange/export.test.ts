import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { IMPORT_FOLDER } from '../../../support/import-files.ts';
import { initialised } from '../../../support/ralph.ts';
import { tempDir } from '../../../support/temp.ts';

it('a Markdown export is readable, and a box ticked in it finds its task on import', async () => {
  const project = await initialised();
  await project.json('import', join(IMPORT_FOLDER, 'implementation.json'));
  await project.json('add', 'Loose end', '--depends-on', '2', '--priority', 'high');
  const plan = join(project.root, 'PLAN.md');
  expect(await project.json('export', '--as', 'markdown', 'PLAN.md')).toEqual({ files: [plan] });
  expect(readFileSync(plan, 'utf8')).toBe(`# project

1 of 4 done.

- [ ] #4 Loose end <!-- ralph:4 -->
  *waiting · high · after #2*

## Lending <!-- ralph:lending -->

> Loans live in src/loans.ts.

- [x] #1 Add a loans table <!-- ralph:1 -->
- [ ] #2 Create the endpoint <!-- ralph:2 -->
  *ready*

  > - A loan is stored

- [ ] #3 Send reminders <!-- ralph:3 -->
  *blocked · no mail server yet*

## Search <!-- ralph:search -->
`);
  const edited = readFileSync(plan, 'utf8')
    .replace('- [ ] #2 Create the endpoint', '- [x] #2 Create the endpoint')
    .replace('#4 Loose end', '#4 Loose ends');
  writeFileSync(plan, `${edited}\n- [ ] Index titles\n`);
  expect(await project.json('import', 'PLAN.md')).toMatchObject({ added: 1, updated: 2, problems: [] });
  expect(await project.json('show', '2')).toMatchObject({ status: 'skipped' });
  expect(await project.json('show', '4')).toMatchObject({ title: 'Loose ends', priority: 'high' });
  expect(await project.json('show', '5')).toMatchObject({ title: 'Index titles', feature: 'search' });
});

it('implementation.json keeps the ids that tasks came with, and gives ids to the others', async () => {
  const project = await initialised();
  await project.json('import', join(IMPORT_FOLDER, 'implementation.json'));
  await project.json('add', 'Another', '--feature', 'lending', '--depends-on', '2');
  const { text } = (await project.json('export', '--as', 'implementation')) as { text: string };
  expect(JSON.parse(text)).toMatchObject({
    version: 1,
    updatedBy: 'ralph',
    specs: [
      {
        id: 'lending',
        file: 'specs/lending.md',
        name: 'Lending',
        priority: 1,
        status: 'in_progress',
        context: 'Loans live in src/loans.ts.',
        acceptanceCriteria: ['Books come back'],
        tasks: [
          { id: 'lending-1', description: 'Add a loans table', status: 'completed' },
          { id: 'lending-2', status: 'pending', acceptanceCriteria: ['A loan is stored'] },
          { id: 'lending-3', status: 'blocked', reason: 'no mail server yet' },
          { id: 'lending-4', description: 'Another', status: 'pending', dependsOn: ['lending-2'] },
        ],
      },
      { id: 'search', status: 'pending', tasks: [] },
    ],
  });
  // The file it came from is still the same board.
  expect(await project.json('import', join(IMPORT_FOLDER, 'implementation.json'))).toMatchObject({
    added: 0,
    updated: 0,
  });
});

it('ralph export replaces its own files, and no other file', async () => {
  const project = await initialised();
  await project.json('add', 'One');
  writeFileSync(join(project.root, 'TODO.md'), '- [ ] by hand\n');
  const target = join(tempDir(), 'out.md');
  symlinkSync(target, join(project.root, 'link.md'));
  const cases: [string[], number, string][] = [
    [['--as', 'markdown', 'TODO.md'], 1, 'TODO.md exists, and Ralph did not write it; name another file'],
    [
      ['--as', 'markdown', 'link.md'],
      1,
      'link.md is a link that leaves the project; put a file in its place.',
    ],
    [['--as', 'markdwon', 'x.md'], 2, 'did you mean "markdown"?'],
    [['--as', 'markdown', '.'], 1, 'cannot be written'],
  ];
  for (const [args, code, message] of cases) {
    const ran = await project.within('export', ...args);
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(ran.stderr).toContain(message);
  }
  expect(readFileSync(join(project.root, 'TODO.md'), 'utf8')).toBe('- [ ] by hand\n');
  await project.json('export', '--as', 'markdown', 'TODO.md', '--force');
  await project.json('export', '--as', 'markdown', 'TODO.md');
});

it('a removed task with a history stays in a YAML export, and no other file shows it or waits for it', async () => {
  const project = await initialised();
  await project.json('import', join(IMPORT_FOLDER, 'implementation.json'));
  await project.json('add', 'After it', '--depends-on', '2');
  await project.json('skip', '4');
  expect(await project.json('remove', '2')).toMatchObject([{ id: 2, archived: true }]);
  const { text } = (await project.json('export', '--as', 'implementation')) as { text: string };
  expect(text).not.toContain('Create the endpoint');
  expect(text).not.toContain('dependsOn');
  // The source still has the task, which stays removed.
  expect(await project.json('import', join(IMPORT_FOLDER, 'implementation.json'))).toMatchObject({
    added: 0,
    updated: 0,
    gone: [],
  });
  await project.json('export', 'everything');
  const other = await initialised();
  await other.json('import', join(project.root, 'everything'));
  expect(await other.json('list', '--archived')).toEqual(await project.json('list', '--archived'));
  expect(await other.json('show', '4')).toMatchObject({ depends_on: [2] });
});
