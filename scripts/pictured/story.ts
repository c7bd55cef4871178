// Forty tasks of a small library, and what the scripted model does at each attempt of those that are reached.
import type { Turn } from '../../test/support/scripted-model.ts';

type Made = { name: string; title: string; code: string; test: string };

const made = (name: string, title: string, code: string, test: string): Made => ({ name, title, code, test });

const TEXT: readonly Made[] = [
  made(
    'slug',
    'Make slugs of titles',
    "(title) => title.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')",
    "slug('Hello, World!') === 'hello-world'",
  ),
  made('count', 'Count words', '(text) => text.split(/\\s+/).filter(Boolean).length', "count('') === 0"),
  made(
    'cut',
    'Cut long titles',
    "(title, most) => title.slice(0, most - 1) + '…'",
    "cut('xxxx', 3).length === 3",
  ),
  made(
    'initials',
    'Take initials of names',
    '(name) => name.match(/\\b\\w/g).join("")',
    "initials('Ada Low') === 'AL'",
  ),
  made('wrap', 'Wrap lines at a width', '(text) => text', "wrap('one two', 3) === 'one\\ntwo'"),
  made('lines', 'Split a text into lines', '(text) => text.split(/\\r?\\n/)', "lines('a\\nb').length === 2"),
  made(
    'capital',
    'Capitalize sentences',
    '(text) => text.charAt(0).toUpperCase() + text.slice(1)',
    "capital('ab') === 'Ab'",
  ),
  made('quote', 'Quote for a shell', '(text) => "\'" + text + "\'"', "quote('a') === \"'a'\""),
];

const LISTS: readonly Made[] = [
  made('unique', 'Remove what is there twice', '(list) => [...new Set(list)]', 'unique([1, 1]).length === 1'),
  made('sum', 'Add numbers up', '(list) => list.reduce((a, b) => a + b, 0)', 'sum([1, 2]) === 3'),
  made('last', 'Take the last few', '(list, count) => list.slice(-count)', 'last([1, 2, 3], 2)[0] === 2'),
  made('zip', 'Pair two lists', '(a, b) => a.map((one, at) => [one, b[at]])', 'zip([1], [2])[0][1] === 2'),
  made(
    'range',
    'Count from one number to another',
    '(from, to) => Array.from({ length: to - from }, (_, at) => from + at)',
    'range(2, 4)[1] === 3',
  ),
  made(
    'group',
    'Group by a key',
    '(list, key) => Object.groupBy?.(list, key) ?? {}',
    "typeof group([], () => 'a') === 'object'",
  ),
];

const PAGES: readonly Made[] = [
  made(
    'escape',
    'Escape what goes into HTML',
    "(text) => text.replace(/[&<>]/g, (c) => '&#' + c.charCodeAt(0) + ';')",
    "escape('<') === '&#60;'",
  ),
  made('item', 'Render an item of a list', "(text) => '<li>' + text + '</li>'", "item('a') === '<li>a</li>'"),
  made(
    'link',
    'Render a link',
    "(to, text) => '<a href=\"' + to + '\">' + text + '</a>'",
    "link('/', 'a').includes('href')",
  ),
  made(
    'list',
    'Render a list',
    "(items) => '<ul>' + items.join('') + '</ul>'",
    "list(['a']) === '<ul>a</ul>'",
  ),
];

type Listed = { title: string; feature: string; discipline: string; depends_on?: readonly number[] };

const listed = (feature: string, discipline: string, titles: readonly string[]): Listed[] =>
  titles.map((title) => ({ title, feature, discipline }));
const listTitles = (all: readonly Made[]): string[] => all.map(({ title }) => title);

const MADE = [...TEXT, ...LISTS, ...PAGES];

const TITLES: readonly Listed[] = [
  ...listed('text', 'backend', listTitles(TEXT)),
  ...listed('lists', 'backend', listTitles(LISTS)),
  ...listed('pages', 'frontend', [
    ...listTitles(PAGES),
    'Render a table with a caption and a row for each record',
    'Render a heading with an anchor',
    'Render a whole page',
    'Render a feed of the latest pages',
    'Render navigation with the current page marked',
    'Print styles for every page',
  ]),
  ...listed('dates', 'backend', [
    'Format a date as ISO 8601',
    'Add days, weeks and months',
    'Tell how long ago something was',
    'Parse dates that people write',
    'Find the working days between two dates',
    'Name the quarter of a date',
  ]),
  ...listed('docs', 'docs', [
    'Describe the functions on text',
    'Describe the functions on lists',
    'Describe how pages are rendered',
    'Describe dates and time zones',
    'Write a changelog',
    'Show an example of a whole page',
    'Explain how to contribute',
    'Measure the size of the package',
    'Check that every example runs',
    'Publish the documentation',
  ]),
];

/** By the task's number: what it waits for. */
const WAITS: Readonly<Record<number, readonly number[]>> = {
  2: [1],
  3: [1],
  4: [2],
  6: [2],
  7: [4],
  8: [6],
  9: [1],
  10: [9],
  11: [9],
  12: [10],
  13: [10],
  14: [12],
  15: [7],
  16: [15],
  17: [15],
  18: [16],
  19: [18],
  20: [3, 17],
  21: [19, 20],
  22: [21, 28],
  23: [21],
  24: [21],
  26: [25],
  27: [25],
  28: [5, 26],
  29: [26],
  30: [26],
  31: [5, 8],
  32: [14],
  33: [21],
  34: [27, 28],
  35: [31, 32],
  36: [33],
  38: [24],
  39: [36],
  40: [35, 39],
};

const QUICK = "import assert from 'node:assert/strict';\nimport test from 'node:test';\n";

export const FILES: Readonly<Record<string, string>> = {
  'package.json':
    '{ "name": "tidy", "private": true, "type": "module", "scripts": { "test": "node --test" } }\n',
  'test/package.test.mjs': `${QUICK}test('it runs', () => assert.ok(true));\n`,
  'README.md': '# tidy\n\nSmall functions for text, lists, pages and dates.\n',
  'docs/text.md': '# Text\n\nFunctions take a string and return a string. They never throw.\n',
  'docs/pages.md': '# Pages\n\nHTML is made by functions that escape what they are given.\n',
  '.ralph/metadata.yaml': 'metadata: { title: tidy, description: Small functions for text and pages. }\n',
  '.ralph/disciplines.yaml': `disciplines:
  - { name: backend, display_name: Backend, system_prompt: You write small pure functions. }
  - { name: frontend, display_name: Frontend, system_prompt: You write HTML that is safe. }
  - { name: docs, display_name: Docs, system_prompt: You write short and true documents. }
`,
  '.ralph/features.yaml': `features:
  - { name: text, description: Functions on strings., knowledge_paths: [docs/text.md], priority: 1 }
  - { name: lists, description: Functions on lists., priority: 2 }
  - { name: pages, description: HTML from data., knowledge_paths: [docs/pages.md], priority: 3 }
  - { name: dates, description: Days and times., priority: 4 }
  - { name: docs, description: What users read., priority: 5 }
`,
  '.ralph/tasks.yaml': `tasks:\n${TITLES.map(({ title, feature, discipline }, index) => `  - { id: ${index + 1}, title: ${JSON.stringify(title)}, feature: ${feature}, discipline: ${discipline}, depends_on: [${(WAITS[index + 1] ?? []).join(', ')}] }\n`).join('')}`,
};

/** The task that is being worked on while the pictures are taken. */
export const AT_WORK = 19;

/** The attempts of a task, each a list of what the model says. `root`: where the project is. */
export function taskAttempts(task: number, root: string): readonly (readonly Turn[])[] {
  const work = MADE[task - 1];
  if (task === AT_WORK) return [atWork(root)];
  if (work === undefined) return [];
  const usual = write(root, work);
  const finish = verb('done', { summary: `${work.name}() in src/${work.name}.mjs, with its test.` });
  if (task === 3) return [[read(root, 'docs/text.md'), QUESTION, PARTIAL]];
  if (task === 2)
    return [
      [...write(root, { ...work, code: '(text) => text.split(/\\s+/).length' }), finish],
      // Claude Code writes over nothing that it has not read.
      [read(root, 'src/count.mjs'), ...usual.slice(0, 1), LEARNED, finish],
    ];
  if (task === 12) return [[...usual, SUGGESTED, finish]];
  return [[...usual, finish]];
}

function write(root: string, { name, code, test }: Made): Turn[] {
  return [
    spent('Write', { file_path: `${root}/src/${name}.mjs`, content: `export const ${name} = ${code};\n` }),
    spent('Write', {
      file_path: `${root}/test/${name}.test.mjs`,
      content: `${QUICK}import { ${name} } from '../src/${name}.mjs';\n\ntest('${name}', () => {\n  assert.ok(${test});\n});\n`,
    }),
    spent('Bash', { command: `node --test test/${name}.test.mjs`, description: 'Run the new test' }),
  ];
}

const read = (root: string, path: string): Turn => spent('Read', { file_path: `${root}/${path}` });
const verb = (name: string, input: object): Turn => spent(`mcp__ralph__${name}`, input);
const spent = (tool: string, input: object): Turn => ({
  tool,
  input,
  usage: { input_tokens: 9_400, output_tokens: 620 },
});

const QUESTION = verb('ask', {
  question: 'How long may a title be?',
  blocking: true,
  options: ['40', '80'],
  preferred: '40',
});
const PARTIAL = verb('partial', { summary: 'Nothing yet.', remaining: 'Everything: the length decides.' });
const LEARNED = verb('learned', {
  text: "''.split() gives one empty string, so filter before counting.",
  kind: 'gotcha',
  rationale: 'the first try failed on it',
  scope: 'project',
});
const SUGGESTED = verb('suggest', {
  what: 'Share the checks of arguments between lists',
  kind: 'new_task',
  why: 'Four functions repeat them.',
});

const atWork = (root: string): Turn[] => [
  read(root, 'docs/pages.md'),
  read(root, 'src/list.mjs'),
  spent('Bash', { command: 'grep -rn "export const" src', description: 'List what there is' }),
  spent('Write', {
    file_path: `${root}/src/table.mjs`,
    content: "export const table = (rows) => '<table>' + rows.join('') + '</table>';\n",
  }),
  spent('Bash', { command: 'node --test', description: 'Run all tests' }),
  { silence: true },
];
