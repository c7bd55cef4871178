// A small library, seven tasks, and what the scripted agent does at each attempt of each.
import { dirname } from 'node:path/posix';
import type { Step } from './script.ts';

const file = (path: string, text: string): Step => ({
  // Without command substitution: Gemini CLI refuses it.
  shell: `mkdir -p ${dirname(path)} && cat > ${path} <<'END'\n${text}\nEND`,
  says: `Write ${path}`,
});
const test = (name: string, body: string): Step =>
  file(
    `test/${name}.test.mjs`,
    `import assert from 'node:assert/strict';\nimport test from 'node:test';\nimport { ${name} } from '../src/${name}.mjs';\n\ntest('${name}', () => {\n  ${body}\n});`,
  );
const say = (verb: string, args: Record<string, unknown>): Step => ({ verb, args });
const done = (summary: string): Step => say('done', { summary });

/** Stands for a folder that all sessions share: their homes are their own. */
export const MEETING = '{meeting}';

const TRIES = Array.from({ length: 400 }, (_, index) => index).join(' ');

/** Begins only when the other session has begun, too, and then adds a line to the README. */
const linked = (own: string, other: string, line: string): readonly Step[] => [
  {
    shell: `touch "${MEETING}/${own}"; for i in ${TRIES}; do [ -e "${MEETING}/${other}" ] && break; sleep 0.05; done`,
  },
  { shell: `echo '${line}' >> README.md`, says: 'Edit README.md' },
];
const KEEP_BOTH: Step = {
  shell: "sed -i.bak -e '/^<<<<<<< /d' -e '/^=======$/d' -e '/^>>>>>>> /d' README.md && rm README.md.bak",
  says: 'Keep both lines of README.md',
};

export const FILES: Readonly<Record<string, string>> = {
  'package.json':
    '{ "name": "tidy", "private": true, "type": "module", "scripts": { "test": "node --test" } }\n',
  'test/package.test.mjs':
    "import assert from 'node:assert/strict';\nimport { readFileSync } from 'node:fs';\nimport test from 'node:test';\n\ntest('it has a name', () => assert.equal(JSON.parse(readFileSync('package.json', 'utf8')).name, 'tidy'));\n",
  'README.md': '# tidy\n\nSmall functions for text and pages.\n',
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
  - { name: pages, description: HTML from data., knowledge_paths: [docs/pages.md], dependencies: [text], priority: 2 }
`,
  '.ralph/tasks.yaml': `tasks:
  - { id: 1, title: Make slugs of titles, feature: text, discipline: backend }
  - { id: 2, title: Count words, feature: text, discipline: backend, depends_on: [1] }
  - { id: 3, title: Cut long titles, feature: text, discipline: backend, depends_on: [1] }
  - { id: 4, title: Render a list, feature: pages, discipline: frontend, depends_on: [2] }
  - { id: 5, title: Render a page, feature: pages, discipline: frontend, depends_on: [3, 4] }
  - { id: 6, title: Describe the functions, feature: text, discipline: docs, depends_on: [5] }
  - { id: 7, title: Write a changelog, discipline: docs, depends_on: [5] }
`,
};

export const ATTEMPTS: Readonly<Record<number, readonly (readonly Step[])[]>> = {
  1: [
    [
      file(
        'src/slug.mjs',
        "export const slug = (title) => title.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');",
      ),
      test('slug', "assert.equal(slug('Hello, World!'), 'hello-world');"),
      done('slug() in src/slug.mjs.'),
    ],
  ],
  2: [
    // The first attempt counts the empty text as one word, and its own test finds it out: the gate refutes the done.
    [
      file('src/count.mjs', 'export const count = (text) => text.trim().split(/\\s+/).length;'),
      test('count', "assert.equal(count('one two'), 2);\n  assert.equal(count(''), 0);"),
      done('count() in src/count.mjs.'),
    ],
    [
      file(
        'src/count.mjs',
        'export const count = (text) => text.trim().split(/\\s+/).filter(Boolean).length;',
      ),
      say('learned', {
        text: "''.split() gives one empty string, so filter before counting.",
        kind: 'gotcha',
        rationale: 'the first attempt failed on it',
        scope: 'project',
      }),
      done('count() knows the empty text now.'),
    ],
  ],
  3: [
    [
      say('ask', {
        question: 'How long may a title be?',
        blocking: true,
        options: ['40', '80'],
        preferred: '40',
      }),
      say('partial', { summary: 'Nothing yet.', remaining: 'Everything: the length decides.' }),
    ],
    [
      file(
        'src/cut.mjs',
        "export const cut = (title, most = 40) => (title.length <= most ? title : title.slice(0, most - 1) + '…');",
      ),
      test('cut', "assert.equal(cut('x'.repeat(50)).length, 40);"),
      done('cut() in src/cut.mjs, 40 characters as answered.'),
    ],
  ],
  4: [
    [
      file(
        'src/list.mjs',
        "const escape = (text) => text.replace(/[&<>]/g, (c) => '&#' + c.charCodeAt(0) + ';');\nconst item = (text) => '<li>' + escape(text) + '</li>';\nexport const list = (items) => '<ul>' + items.map(item).join('') + '</ul>';",
      ),
      test('list', "assert.equal(list(['a<b']), '<ul><li>a&#60;b</li></ul>');"),
      say('suggest', {
        what: 'Share escape() between pages',
        kind: 'new_task',
        why: 'The next page needs it, too.',
      }),
      done('list() in src/list.mjs; it escapes.'),
    ],
  ],
  5: [
    [
      file(
        'src/page.mjs',
        "import { cut } from './cut.mjs';\nimport { list } from './list.mjs';\nexport const page = (title, items) => '<title>' + cut(title) + '</title>' + list(items);",
      ),
      test('page', "assert.match(page('t', ['a']), /<title>t<.title><ul>/);"),
      done('page() in src/page.mjs.'),
    ],
  ],
  // Both add a line at the same place of the README while they work side by side: one of them has to merge.
  6: [
    [
      ...linked('six', 'seven', 'The functions are in docs/functions.md.'),
      file('docs/functions.md', '# Functions\n\nslug, count, cut, list, page.'),
      done('docs/functions.md lists them.'),
    ],
    [KEEP_BOTH, done('docs/functions.md lists them; the README names it beside the changelog.')],
  ],
  7: [
    [
      ...linked('seven', 'six', 'What changed is in CHANGELOG.md.'),
      file('CHANGELOG.md', '# Changelog\n\n- The first five functions.'),
      done('CHANGELOG.md.'),
    ],
    [KEEP_BOTH, done('CHANGELOG.md; the README names it beside the functions.')],
  ],
};
