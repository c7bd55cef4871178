// ralph import as people type it: what they are told, and every wrong file refused with one sentence and nothing changed.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { IMPORT_FOLDER } from '../../../support/import-files.ts';
import { initialised } from '../../../support/ralph.ts';
import { tempDir } from '../../../support/temp.ts';

it('ralph import reports what it added, how it read it, what it kept and what it did not understand', async () => {
  const project = await initialised();
  copyFileSync(join(IMPORT_FOLDER, 'beads.jsonl'), join(project.root, 'issues.jsonl'));
  const first = await project.within('import', 'issues.jsonl');
  expect(first.stdout).toBe(
    `Imported issues.jsonl as beads: 8 tasks added, 0 changed, 0 unchanged.
Read as: priority 2 → medium (3), priority 1 → high (2), priority 0 → critical (1), status open → pending (1), status closed → done (1), status hooked → pending (1), priority 4 → low (1), status pinned → draft (1), priority 3 → low (1), status on_ice → pending (1), status deferred → pending (1), status open → draft (1), status in_progress → draft (1)
Kept as comments: close_reason (1), notes (1), discovered-from (1), comments (1)
Not understood, or left out:
  bk-e5 has the unknown status on_ice; it was imported as pending.
  Issues that bd ready hides came in as drafts: merge-request (1), ephemeral (1).
  Left out, as no session needs it: assignee (1), _type (3), owner (1).
  bk-c3 depends on bk-zz, which does not exist; that link was left out.
`,
  );
  const again = await project.within('import', 'issues.jsonl');
  expect(again.stdout).toMatch(/^Imported issues.jsonl as beads: nothing has changed in its 8 tasks.\n/);
  expect(await project.json('import', 'issues.jsonl')).toMatchObject({
    format: 'beads',
    added: 0,
    unchanged: 8,
    problems: expect.arrayContaining([expect.stringContaining('bk-zz')]),
  });
  expect((await project.within('show', '1')).stdout).toContain('from        beads bk-a1');
  expect(await project.json('show', '1')).toMatchObject({
    references: [{ source: 'beads', board: 'beads', id: 'bk-a1' }],
  });
});

it('a file name with control characters is printed visibly', async () => {
  const project = await initialised();
  const name = 'a\u001b[2J\nb';
  const texts = ['- [ ] One\n', '- [ ] One\n', 'tasks:\n  - title: Two\n'];
  for (const text of texts) {
    writeFileSync(join(project.root, name), text);
    const { stdout } = await project.within('import', name);
    expect(stdout).toMatch(/^Imported a␛\[2J ⏎ b/);
  }
});

it('the origin of a task survives an export to YAML and an import into another project', async () => {
  const [project, other] = [await initialised(), await initialised()];
  await project.json('import', join(IMPORT_FOLDER, 'task-master.json'));
  const exported = join(project.root, 'exported');
  await project.json('export', exported);
  expect(await project.json('import', exported)).toMatchObject({ added: 0, updated: 0 });
  await other.json('import', exported);
  expect(await other.json('import', join(IMPORT_FOLDER, 'task-master.json'))).toMatchObject({
    added: 0,
    updated: 0,
  });
  expect(await other.json('show', '2')).toMatchObject({
    references: [{ source: 'task-master', board: 'task-master.json', id: 'master 2' }],
  });
});

it('a wrong file is refused with one sentence, and nothing is imported', async () => {
  const cases: [string, (root: string) => string[], number, string][] = [
    [
      'truncated JSON',
      cut('prd.json', 300),
      1,
      'f:10 ends in the middle; save it whole and import it again.',
    ],
    ['a truncated last line', cut('beads.jsonl', 900), 1, 'f:3 is not one issue in JSON'],
    ['the wrong format', forced('prd.json', 'beads'), 1, 'f:1 is not one issue in JSON'],
    ['another wrong format', forced('beads.jsonl', 'prd'), 1, 'f:2 is not JSON'],
    [
      'one more',
      forced('prd.json', 'implementation'),
      1,
      'f is no implementation file: it has no list of specs.',
    ],
    ['and one', forced('implementation.json', 'task-master'), 1, 'it has no tags with tasks.'],
    ['no checklist', forced('prd.json', 'markdown'), 1, 'f is no checklist: no line begins with "- [ ]".'],
    ['an unknown format', forced('prd.json', 'taskmaster'), 2, 'did you mean "task-master"?'],
    [
      'JSON of no known kind',
      written('{"a": 1}'),
      1,
      'f is JSON in a format that Ralph does not recognise; name the format with --as',
    ],
    ['a bomb', written(`{"userStories": [${nested(200_000)}]}`), 1, 'f is nested more than 100 levels deep'],
    ['a bomb in a line', written(`{"id":"x","title":"X","status":${nested(5_000)}}`), 1, 'f:1 is nested'],
    [
      'Markdown as JSON',
      (root) => [...written('# A\n')(root), '--as', 'prd'],
      1,
      'f is no prd file: it is not JSON.',
    ],
    [
      'a specification',
      (root) => {
        writeFileSync(join(root, 'spec.md'), '# A\n');
        return ['spec.md'];
      },
      1,
      'spec.md has no checklist: no line begins with "- [ ]". To make tasks from a specification: ralph plan spec.md',
    ],
    [
      'a CSV of no known tool',
      (root) => {
        writeFileSync(join(root, 'f.csv'), 'a,b\n1,2\n');
        return ['f.csv'];
      },
      1,
      'f.csv has none of the columns that Jira (Issue key, Summary) or Linear',
    ],
    ['a CSV that is cut off', cut('jira.csv', 500), 1, 'f:3 begins a quoted field that never ends'],
    [
      'a CSV that is cut off in a row',
      cut('jira.csv', 600),
      1,
      'f:9 has 6 fields, but the first line names 19',
    ],
    ['a CSV with too many fields', written('Issue key,Summary\nA-1,One\nA-2,Two,2\n'), 1, 'f:3 has 3 fields'],
    ['a long line', written(`- [ ] ${'x '.repeat(150_000)}`), 1, 'f:1 is a line of 300006 characters'],
    ['deep boxes', written(staircase(101)), 1, 'f:101 is nested more than 100 levels deep'],
    [
      'an epic alone',
      epicAlone,
      1,
      'epic.md describes tasks that have files of their own; import its folder.',
    ],
    [
      'a folder with a broken task',
      (root) => {
        mkdirSync(join(root, 'f'));
        writeFileSync(join(root, 'f/1.json'), '{"id": 1,\n"subject"');
        return ['f'];
      },
      1,
      'f/1.json:2 ends in the middle',
    ],
    ['a folder with a link out', linkedFolder, 1, 'f/tasks is a link that leaves the project'],
    ['an empty file', written(' \n'), 1, 'f is empty; there is nothing to import.'],
    ['text of no kind', written('Buy milk.'), 1, 'f:1:1:'],
    ['invalid UTF-8', written(Buffer.from([0x7b, 0xff, 0xfe])), 1, 'f is not UTF-8 text; save it as UTF-8.'],
    ['NUL bytes', written('{"specs": []}\0'), 1, 'f holds NUL bytes, so it is no text; save it as UTF-8.'],
    ['200 MB', large, 1, 'f is 209715200 bytes large; at most 33554432 are read (32 MB). Split it.'],
    ['a pipe', pipe, 1, 'f is not a file; give a file or a folder.'],
    ['a folder', folder, 1, 'f holds nothing that Ralph can import; name a file.'],
    [
      'a folder with --as',
      (root) => [...folder(root), '--as', 'prd'],
      1,
      'f is a folder; name the prd file in it.',
    ],
    ['no file', () => ['nothing.json'], 1, 'There is no file nothing.json; give a file or a folder.'],
    ['a link out', outside, 1, 'f is a link that leaves the project; put a file in its place.'],
  ];
  const project = await initialised();
  for (const [about, make, code, message] of cases) {
    const ran = await project.within('import', ...make(project.root));
    expect({ about, ...ran }).toMatchObject({ about, code, stdout: '' });
    expect(ran.stderr, about).toContain(message);
    expect(ran.stderr, about).toMatch(/^ralph: [^\n]+\n$/);
    rmSync(join(project.root, 'f'), { recursive: true, force: true });
  }
  expect(await project.json('list')).toEqual([]);
});

const staircase = (levels: number): string =>
  Array.from({ length: levels }, (_, depth) => `${' '.repeat(depth)}- [ ] ${depth}`).join('\n');

function epicAlone(root: string): string[] {
  copyFileSync(join(IMPORT_FOLDER, 'ccpm/lending/epic.md'), join(root, 'epic.md'));
  return ['epic.md'];
}

function linkedFolder(root: string): string[] {
  mkdirSync(join(root, 'f'));
  symlinkSync(join(IMPORT_FOLDER, 'backlog/tasks'), join(root, 'f/tasks'));
  return ['f'];
}

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

const written =
  (content: string | Buffer) =>
  (root: string): string[] => {
    writeFileSync(join(root, 'f'), content);
    return ['f'];
  };

function cut(file: string, size: number): (root: string) => string[] {
  return (root) => {
    copyFileSync(join(IMPORT_FOLDER, file), join(root, 'f'));
    truncateSync(join(root, 'f'), size);
    return ['f'];
  };
}

function forced(file: string, format: string): (root: string) => string[] {
  return (root) => {
    copyFileSync(join(IMPORT_FOLDER, file), join(root, 'f'));
    return ['f', '--as', format];
  };
}

function large(root: string): string[] {
  writeFileSync(join(root, 'f'), '');
  truncateSync(join(root, 'f'), 200 * 1024 * 1024);
  return ['f'];
}

function pipe(root: string): string[] {
  execFileSync('mkfifo', [join(root, 'f')]);
  return ['f'];
}

function folder(root: string): string[] {
  mkdirSync(join(root, 'f'));
  return ['f'];
}

function outside(root: string): string[] {
  const target = join(tempDir(), 'prd.json');
  copyFileSync(join(IMPORT_FOLDER, 'prd.json'), target);
  symlinkSync(target, join(root, 'f'));
  return ['f'];
}
