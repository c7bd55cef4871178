import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { readRepository } from '../../../src/project/init/repository.ts';
import { suggestDisciplines } from '../../../src/project/init/suggest-disciplines.ts';
import { suggestGates } from '../../../src/project/init/suggest-gates.ts';
import { suggestSetup } from '../../../src/project/init/suggest-setup.ts';
import { tempDir } from '../../support/temp.ts';

function repository(files: Record<string, string>) {
  const root = tempDir();
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return readRepository(root);
}

const scripts = (named: Record<string, string>) => JSON.stringify({ scripts: named });

it.each([
  [
    'npm',
    { 'package.json': scripts({ test: 'vitest', lint: 'biome ci', build: 'vite build', typecheck: 'tsc' }) },
    ['npm run typecheck', 'npm run lint', 'npm test', 'npm run build'],
  ],
  ['pnpm', { 'package.json': scripts({ test: 'x' }), 'pnpm-lock.yaml': '' }, ['pnpm test']],
  [
    'bun, whose own test command is another',
    { 'package.json': scripts({ test: 'x' }), 'bun.lock': '' },
    ['bun run test'],
  ],
  [
    "npm's placeholder, which is no test",
    { 'package.json': scripts({ test: 'echo "Error: no test specified" && exit 1' }) },
    [],
  ],
  ['a package.json that is no JSON', { 'package.json': '{' }, []],
  ['Rust', { 'Cargo.toml': '' }, ['cargo build', 'cargo clippy -- -D warnings', 'cargo test']],
  ['Go', { 'go.mod': '' }, ['go build ./...', 'go vet ./...', 'go test ./...']],
  [
    'Python with pytest and ruff',
    { 'pyproject.toml': '[tool.pytest]\n[tool.ruff]' },
    ['ruff check .', 'python3 -m pytest'],
  ],
  ['Python with uv', { 'pyproject.toml': 'pytest', 'uv.lock': '' }, ['uv run pytest']],
  ['Maven with a wrapper', { 'pom.xml': '', mvnw: '' }, ['./mvnw --batch-mode test']],
  [
    'Python whose configuration says what mypy looks at',
    { 'pyproject.toml': '[tool.pytest]\n[tool.mypy]\nfiles = ["src"]\n[tool.x]', 'uv.lock': '' },
    ['uv run mypy', 'uv run pytest'],
  ],
  [
    'Python whose configuration does not say it',
    { 'setup.cfg': '[mypy]\nstrict = true\n[other]\nfiles = x' },
    ['python3 -m mypy .', 'python3 -m unittest'],
  ],
  ['PHP with a script of its own', { 'composer.json': '{"scripts":{"test":"x"}}' }, ['composer test']],
  [
    'scripts that call themselves checks, but for those that change files, watch, or run others',
    {
      'package.json': scripts({
        'types:check': 'tsc',
        lint: 'eslint --fix .',
        'lint:check': 'eslint .',
        'format:check': 'prettier -c .',
        'check:size': 'size-limit',
        'check:links': 'linkinator',
        'check:all': 'npm run types:check && npm run lint:check',
        check: 'biome check --write',
        test: 'vitest --watch',
        'test:ci': 'vitest run',
      }),
    },
    [
      'npm run types:check',
      'npm run lint:check',
      'npm run format:check',
      'npm run test:ci',
      'npm run check:size',
      'npm run check:links',
    ],
  ],
  [
    'the packages of a monorepo, where its root has no script of that kind',
    {
      'package.json': JSON.stringify({ workspaces: ['packages/*'], scripts: { lint: 'x' } }),
      'packages/a/package.json': scripts({ test: 'x', typecheck: 'x' }),
      'packages/b/package.json': scripts({ typecheck: 'x' }),
    },
    ['npm run typecheck --workspaces --if-present', 'npm run lint', 'npm run test --workspaces --if-present'],
  ],
  [
    'the packages that pnpm-workspace.yaml names',
    {
      'package.json': '{}',
      'pnpm-workspace.yaml':
        "# all\npackages:\n  # here\n  - 'packages/*' # and\n  - apps/web\nonlyBuiltDependencies:\n  - esbuild\n",
      'apps/web/package.json': scripts({ build: 'x' }),
      'packages/a/package.json': scripts({ test: 'x' }),
      'esbuild/package.json': scripts({ lint: 'x' }),
    },
    ['pnpm -r run test', 'pnpm -r run build'],
  ],
  ['a Makefile, where nothing says more', { Makefile: 'CHECK := x\ntest: build\n\tx\n' }, ['make test']],
  ['nothing', {}, []],
] as const)('init suggests gates for %s', (_, files, commands) => {
  expect(suggestGates(repository(files)).map(({ command }) => command)).toEqual(commands);
});

it('gates of two ecosystems in one repository get different names', () => {
  const names = suggestGates(repository({ 'package.json': scripts({ test: 'x' }), 'go.mod': '' })).map(
    ({ name }) => name,
  );
  expect(new Set(names).size).toBe(names.length);
});

it('a suggested style check is not required, so it sends no finished work back', () => {
  expect(suggestGates(repository({ 'package.json': scripts({ lint: 'x' }) }))).toEqual([
    { name: 'lint', command: 'npm run lint', required: false },
  ]);
});

it.each([
  ['nothing', {}, ['backend']],
  [
    'a web shop',
    {
      'package.json': '{"dependencies":{"next":"1","prisma":"1","jose":"1"}}',
      'docs/a.md': '',
      Dockerfile: '',
      'test/a.js': '',
    },
    ['backend', 'frontend', 'fullstack', 'testing', 'devops', 'security', 'data', 'docs'],
  ],
  [
    'a library whose tests need a server',
    { 'package.json': '{"main":"x.js","devDependencies":{"express":"1"},"scripts":{"test":"x"}}' },
    ['library', 'testing'],
  ],
  [
    'a Python library with a command',
    { 'pyproject.toml': '[project]\nname = "flask-x"\n[project.scripts]' },
    ['library', 'cli'],
  ],
  ['an Express server', { 'package.json': '{"main":"x.js","dependencies":{"express":"1"}}' }, ['backend']],
  ['a site', { 'index.html': '' }, ['frontend']],
  ['a Rust library', { 'Cargo.toml': '[package]', 'src/lib.rs': '' }, ['library']],
  ['a Go service with migrations', { 'go.mod': '', 'migrations/1.sql': '' }, ['backend', 'data']],
] as const)('init suggests disciplines for %s', (_, files, names) => {
  const found = suggestDisciplines(repository(files));
  expect(found.map(({ name }) => name)).toEqual(names);
  for (const { system_prompt, skills, conventions } of found) {
    expect([system_prompt, ...skills, conventions].every((text) => (text ?? '').length > 20)).toBe(true);
  }
});

it.each([
  ['npm', { 'package-lock.json': '{}' }, 'npm ci', ['package-lock.json']],
  ['pnpm', { 'pnpm-lock.yaml': '' }, 'pnpm install --frozen-lockfile', ['pnpm-lock.yaml']],
  ['Yarn 1', { 'yarn.lock': '# yarn lockfile v1' }, 'yarn install --frozen-lockfile', ['yarn.lock']],
  ['a later Yarn', { 'yarn.lock': '__metadata:\n  version: 8' }, 'yarn install --immutable', ['yarn.lock']],
  ['Bun', { 'bun.lock': '' }, 'bun install --frozen-lockfile', ['bun.lock']],
  ['an older Bun', { 'bun.lockb': '' }, 'bun install --frozen-lockfile', ['bun.lockb']],
  ['uv', { 'uv.lock': '' }, 'uv sync --frozen', ['uv.lock']],
  ['Poetry', { 'poetry.lock': '' }, 'poetry install', ['poetry.lock']],
  ['Pipenv', { 'Pipfile.lock': '' }, 'pipenv sync', ['Pipfile.lock']],
  ['Bundler', { 'Gemfile.lock': '' }, 'bundle install', ['Gemfile.lock']],
  ['Composer', { 'composer.lock': '' }, 'composer install', ['composer.lock']],
  [
    'two ecosystems',
    { 'package-lock.json': '{}', 'uv.lock': '' },
    'npm ci && uv sync --frozen',
    ['package-lock.json', 'uv.lock'],
  ],
] as [string, Record<string, string>, string, string[]][])(
  'the setup of a fresh checkout follows the lock file of %s',
  (_, files, command, stamp) => {
    expect(suggestSetup(repository(files))).toEqual({ command, stamp });
  },
);

it('no setup is suggested where the build fetches the dependencies', () => {
  expect(suggestSetup(repository({ 'Cargo.lock': '', 'go.sum': '' }))).toBeNull();
});
