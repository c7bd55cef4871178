// Who may import whom, and what only one place may do. Each rule was planted against once: see "catches".
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

type Row = { folders: readonly string[]; packages: readonly string[]; node: boolean };

/** A folder may import itself, the folders and packages of its row, and Node's own modules where `node` says so. */
const TABLE: Record<string, Row> = {
  domain: { folders: [], packages: [], node: false },
  recipes: { folders: ['domain'], packages: ['node:crypto', 'node:path/posix'], node: false },
  store: { folders: ['domain'], packages: ['kysely', 'better-sqlite3', 'pg'], node: true },
  queue: { folders: ['domain', 'store'], packages: [], node: false },
  files: { folders: ['domain'], packages: ['picomatch', 'chokidar'], node: true },
  host: { folders: ['domain', 'files'], packages: [], node: true },
  project: { folders: ['domain', 'files'], packages: ['zod', 'yaml'], node: true },
  context: { folders: ['domain', 'files', 'project', 'store'], packages: [], node: true },
  tools: {
    folders: ['domain', 'queue', 'files', 'project', 'context', 'recipes'],
    packages: ['zod'],
    node: false,
  },
  resources: {
    folders: ['domain', 'queue', 'files', 'project', 'context', 'recipes'],
    packages: ['node:path'],
    node: false,
  },
  server: {
    folders: ['domain', 'queue', 'files', 'project', 'context', 'recipes', 'tools', 'resources'],
    packages: [
      '@modelcontextprotocol/server',
      '@modelcontextprotocol/server/stdio',
      '@modelcontextprotocol/server/validators/ajv',
      '@modelcontextprotocol/node',
      'zod',
      'node:http',
      'node:stream',
    ],
    node: false,
  },
  supervisor: {
    folders: ['domain', 'queue', 'recipes', 'files', 'project', 'context', 'host'],
    packages: [],
    node: true,
  },
  text: {
    folders: ['domain', 'queue', 'supervisor'],
    packages: ['get-east-asian-width', 'node:util', 'node:path', 'node:crypto'],
    node: false,
  },
  ui: {
    folders: ['domain', 'queue', 'files', 'project', 'context', 'recipes', 'host', 'text'],
    packages: ['zod'],
    node: true,
  },
  app: {
    folders: [
      ...['domain', 'queue', 'files', 'project', 'context', 'recipes', 'host'],
      ...['server', 'tools', 'supervisor', 'text', 'ui'],
    ],
    packages: [],
    node: true,
  },
  cli: {
    folders: [
      ...['domain', 'queue', 'files', 'project', 'context', 'recipes', 'host'],
      ...['server', 'tools', 'supervisor', 'text', 'ui', 'app'],
    ],
    packages: ['commander', '@bomb.sh/tab'],
    node: true,
  },
};

const ONLY_HERE: readonly { what: string; pattern: RegExp; where: RegExp }[] = [
  {
    what: 'spawns',
    pattern: /['"](node:)?child_process['"]/,
    where: /^(host\/processes\/spawn|sandbox-init)\.ts$/,
  },
  { what: 'knows MCP', pattern: /from ['"]@modelcontextprotocol\//, where: /^server\// },
  {
    what: 'knows SQL',
    pattern: /['"](kysely|better-sqlite3)['"]|\bsql`|\.(selectFrom|insertInto|updateTable|deleteFrom)\(/,
    where: /^store\//,
  },
  {
    what: 'loads better-sqlite3',
    pattern: /(from|import\()\s*['"]better-sqlite3['"]/,
    where: /^store\/better-sqlite\.ts$/,
  },
  {
    // Types aside: a start on SQLite must not load it.
    what: 'loads the driver of PostgreSQL',
    pattern: /import (?!type\b)[^;]*from ['"]pg['"]|import\(['"]pg['"]\)/,
    where: /^store\/postgres\/pool\.ts$/,
  },
  {
    what: 'reads argv or env',
    pattern: /process\.(argv|env)\b|\{[^}]*\b(argv|env)\b[^}]*\}\s*=\s*process\b/,
    where: /^(main|launch|relay|sandbox-init)\.ts$/,
  },
  { what: 'exits', pattern: /process\.exit\b/, where: /^(main|launch|relay|sandbox-init)\.ts$/ },
  {
    what: 'prints',
    pattern: /console\.(log|error|warn|info)|process\.(stdout|stderr)/,
    where: /^(main|cli\/commands\/setup\/completion)\.ts$/,
  },
];

/** domain and recipes are pure: these are the ways out. */
const IMPURE =
  /\b(Date\.now|new Date\(\)|Math\.random|performance\.|setTimeout|setInterval|fetch\(|process\.|globalThis|await import)/;
const PURE = /^(domain|recipes)\//;

type Files = ReadonlyMap<string, string>;

function violations(files: Files): string[] {
  return [...files].flatMap(([file, source]) => [
    ...placeViolation(file),
    ...imports(source).flatMap((target) => importViolation(file, target) ?? []),
    ...ONLY_HERE.filter(({ pattern, where }) => pattern.test(source) && !where.test(file)).map(
      ({ what }) => `${file} ${what}`,
    ),
    ...(PURE.test(file) && IMPURE.test(source) ? [`${file} is not pure`] : []),
  ]);
}

/** A folder needs a row, and only what is started stands beside the folders. */
function placeViolation(file: string): string[] {
  const folder = folderOf(file);
  if (folder === null)
    return /^(main|launch|relay|sandbox-init|statusline)\.ts$/.test(file)
      ? []
      : [`${file} belongs into a folder`];
  return TABLE[folder] === undefined ? [`${folder}/ has no row in the table`] : [];
}

const imports = (source: string): string[] =>
  [...source.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"\s]+)['"]/g)].map((match) => match[1] ?? '');

function importViolation(file: string, target: string): string | null {
  const folder = folderOf(file);
  if (folder === null) return null;
  const row = TABLE[folder];
  if (row === undefined) return null;
  if (target.startsWith('.')) {
    const other = folderOf(join(dirname(file), target));
    return other === folder || (other !== null && row.folders.includes(other))
      ? null
      : `${file} imports ${other ?? 'main'}`;
  }
  if (target.startsWith('node:') && !row.packages.includes(target))
    return row.node ? null : `${file} imports ${target}`;
  return row.packages.includes(target) ? null : `${file} imports ${target}`;
}

/** Null for what stands beside the folders: main.ts wires everything and may import anything. */
const folderOf = (file: string): string | null => (file.includes('/') ? (file.split('/')[0] ?? null) : null);

/** Without what npm has installed: the conformance suite has thousands of files below test. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesIn(path) : entry.isFile() ? [path] : [];
    });

function sources(folder = 'src'): Files {
  const files = filesIn(folder);
  return new Map(files.map((file) => [relative(folder, file), readFileSync(file, 'utf8')]));
}

it('the relay of the agents imports nothing of Ralph', () => {
  expect(imports(sources().get('relay.ts') ?? '')).toEqual(['node:fs', 'node:net']);
});

it('every file of src imports only what its row allows', () => {
  expect(violations(sources())).toEqual([]);
});

describe('the table catches', () => {
  const planted: [string, string, string][] = [
    ['a folder that may not be imported', 'domain/a.ts', "import { x } from '../store/open.ts';"],
    ['a type-only import, too', 'queue/a.ts', "import type { World } from '../cli/command.ts';"],
    ['a late import, too', 'context/a.ts', "const x = await import('../queue/tasks/add.ts');"],
    ['main being imported', 'cli/a.ts', "import '../main.ts';"],
    ['a folder without a row', 'helpers/a.ts', "import { x } from './b.ts';"],
    ['a package outside of its folder', 'queue/a.ts', "import { z } from 'zod';"],
    ['a node module in a pure folder', 'domain/a.ts', "import { join } from 'node:path';"],
    ['a folder without a row whose files import nothing', 'helpers/a.ts', 'export const x = 1;'],
    ['a file beside the folders', 'extra.ts', 'export const x = 1;'],
    ['spawning by a late import', 'cli/a.ts', "const x = await import('node:child_process');"],
    ['a query outside the store', 'queue/a.ts', "db.updateTable('tasks');"],
    ['reading the environment by taking it apart', 'host/a.ts', 'const { env } = process;'],
    ['printing to standard output', 'queue/a.ts', "console.log('x');"],
    ['spawning', 'cli/a.ts', "import { spawn } from 'node:child_process';"],
    ['SQL', 'queue/a.ts', "import { sql } from 'kysely';"],
    ['a second place that loads SQLite', 'store/a.ts', "import Database from 'better-sqlite3';"],
    ['a second place that loads PostgreSQL', 'store/a.ts', "import pg from 'pg';"],
    ['MCP', 'queue/a.ts', "import { McpServer } from '@modelcontextprotocol/server';"],
    ['reading the environment', 'host/a.ts', 'const home = process.env.HOME;'],
    ['exiting', 'cli/a.ts', 'process.exit(1);'],
    ['printing', 'queue/a.ts', "console.error('x');"],
    ['a clock in the domain', 'domain/a.ts', 'const now = Date.now();'],
    ['randomness in the recipes', 'recipes/a.ts', 'const id = Math.random();'],
  ];
  it.each(planted)('%s', (_, file, source) => {
    expect(violations(new Map([[file, source]]))).not.toEqual([]);
  });
});

/** Files that import each other's values load in an order that nobody wrote down. */
function valueCycles(files: Files): string[] {
  const edges = new Map([...files].map(([file, source]) => [file, valueImports(file, source)]));
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]): string[] => {
    if (path.includes(file)) return [[...path.slice(path.indexOf(file)), file].join(' > ')];
    if (done.has(file)) return [];
    const found = (edges.get(file) ?? []).flatMap((next) => walk(next, [...path, file]));
    done.add(file);
    return found;
  };
  return [...edges.keys()].flatMap((file) => walk(file, []));
}

/** A late import is none of them: by then both files are loaded. */
const valueImports = (file: string, source: string): string[] =>
  [...source.matchAll(/^(?:import|export)\s+(?!type\b)(?:([^;'"]*?)\bfrom\s+)?'(\.[^']+)'/gm)]
    .filter(([, names = '']) => !/^\{\s*(type\s+[\w$]+(\s+as\s+\w+)?\s*,?\s*)+\}\s*$/.test(names))
    .map(([, , target = '']) => join(dirname(file), target));

it('no two source files import values of each other', () => {
  expect(valueCycles(sources())).toEqual([]);
  expect(valueCycles(sources('web'))).toEqual([]);
});

it('two files that import values of each other are found, and types alone are not', () => {
  const twins = (mark: string) =>
    new Map([
      ['a.ts', "import { b } from './b.ts';"],
      ['b.ts', `import { ${mark}a } from './a.ts';`],
    ]);
  expect(valueCycles(twins(''))).toEqual(['a.ts > b.ts > a.ts']);
  expect(valueCycles(twins('type '))).toEqual([]);
});

// Node 20 dies of loading better-sqlite3 13, and takes the whole run of the tests along.
it.each(['test', 'scripts'])('no file of %s loads better-sqlite3 but by store/better-sqlite.ts', (folder) => {
  const loading = [...sources(folder)]
    .filter(([file, source]) => file.endsWith('.ts') && imports(source).includes('better-sqlite3'))
    .map(([file]) => file);
  expect(loading.filter((file) => file !== 'architecture.test.ts')).toEqual([]);
});

/** The page runs in a browser: of what runs elsewhere it may know the shapes, and use what is pure. */
const PAGE_PACKAGES = ['preact', 'preact/hooks', '@preact/signals'];

function pageViolations(files: Files): string[] {
  return [...files].flatMap(([file, source]) =>
    [...source.matchAll(/\b((?:import|export)\b(?:[^;'"]*?\bfrom\b)?)\s*\(?\s*['"]([^'"]+)['"]/g)].flatMap(
      ([, kind = '', target = '']) => {
        if (!target.startsWith('.'))
          return PAGE_PACKAGES.includes(target) ? [] : [`${file} imports ${target}`];
        const path = join('web', dirname(file), target);
        const isFine =
          path.startsWith('web/') ||
          path.startsWith('src/domain/') ||
          (/^(import|export) type\b/.test(kind) && /^src\/(ui|queue)\//.test(path));
        return isFine ? [] : [`${file} imports ${path}`];
      },
    ),
  );
}

it('the page imports only what its row allows', () => {
  expect(pageViolations(sources('web'))).toEqual([]);
});

it.each([
  ['code of the server', "import { openLive } from '../src/ui/live.ts';"],
  ['a type of the store', "import type { Store } from '../src/store/open.ts';"],
  ['a package that nobody decided on', "import { html } from 'lit';"],
  ['code of the server late', "const { openLive } = await import('../src/ui/live.ts');"],
  ['code of the server for its effects', "import '../src/ui/live.ts';"],
  ['code of the server to hand it on', "export { openLive } from '../src/ui/live.ts';"],
])('the check catches a page that imports %s', (_, source) => {
  expect(pageViolations(new Map([['a.ts', source]]))).not.toEqual([]);
});

it('every source file has at most 300 lines', () => {
  const long = [...sources(), ...sources('web')]
    .filter(([, source]) => source.split('\n').length > 300)
    .map(([file]) => file);
  expect(long).toEqual([]);
});
