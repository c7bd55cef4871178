// The commands that prove a done in this repository: one suggester for each kind of project, in the order they run.
import type { Repository } from './repository.ts';

export type SuggestedGate = { name: string; command: string; required?: false };

const gate = (name: string, command: string): SuggestedGate => ({ name, command });
/** A style check should be seen, but must not send finished work back. */
const advisory = (name: string, command: string): SuggestedGate => ({ name, command, required: false });

/** A Makefile is asked only where nothing more telling was found. */
export function suggestGates(repository: Repository): SuggestedGate[] {
  const found = SUGGESTERS.map((suggest) => suggest(repository)).filter((gates) => gates.length > 0);
  if (found.length === 0) return make(repository);
  if (found.length === 1) return found.flat();
  // Two ecosystems in one repository: the second `test` needs a name of its own.
  const used = new Set<string>();
  return found.flat().map((one) => {
    const name = used.has(one.name) ? `${one.name}-${one.command.split(' ')[0]}` : one.name;
    used.add(name);
    return { ...one, name };
  });
}

function node({ has, packageJson: { scripts } }: Repository): SuggestedGate[] {
  const tool = has('pnpm-lock.yaml')
    ? 'pnpm'
    : has('yarn.lock')
      ? 'yarn'
      : has('bun.lock', 'bun.lockb')
        ? 'bun'
        : 'npm';
  const script = (...names: string[]): string | undefined =>
    names.find((name) => scripts[name] !== undefined);
  const run = (name: string): string =>
    name === 'test' && tool !== 'bun' ? `${tool} test` : `${tool} run ${name}`;
  const types = script('typecheck', 'type-check', 'types', 'check-types', 'tsc');
  const lint = script('lint');
  const hasTests = scripts['test'] !== undefined && !scripts['test'].includes('no test specified');
  return [
    ...(types === undefined ? [] : [gate('types', run(types))]),
    ...(lint === undefined ? [] : [advisory('lint', run(lint))]),
    ...(hasTests ? [gate('test', run('test'))] : []),
    ...(scripts['build'] === undefined ? [] : [gate('build', run('build'))]),
  ];
}

const deno = ({ has }: Repository): SuggestedGate[] =>
  has('deno.json', 'deno.jsonc') ? [advisory('lint', 'deno lint'), gate('test', 'deno test')] : [];

const rust = ({ has }: Repository): SuggestedGate[] =>
  has('Cargo.toml')
    ? [
        gate('build', 'cargo build'),
        advisory('lint', 'cargo clippy -- -D warnings'),
        gate('test', 'cargo test'),
      ]
    : [];

const go = ({ has }: Repository): SuggestedGate[] =>
  has('go.mod')
    ? [gate('build', 'go build ./...'), gate('vet', 'go vet ./...'), gate('test', 'go test ./...')]
    : [];

function python({ has, text }: Repository): SuggestedGate[] {
  if (!has('pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt', 'tox.ini', 'pytest.ini')) return [];
  const runner = has('uv.lock') ? 'uv run ' : has('poetry.lock') ? 'poetry run ' : '';
  const settings = ['pyproject.toml', 'setup.cfg', 'tox.ini', 'requirements.txt', 'requirements-dev.txt']
    .map(text)
    .join('\n');
  const module = (name: string): string => (runner === '' ? `python3 -m ${name}` : `${runner}${name}`);
  const hasPytest = /\bpytest\b/.test(settings) || has('pytest.ini', 'conftest.py', 'tests/conftest.py');
  return [
    ...(/\bruff\b/.test(settings) ? [advisory('lint', `${runner}ruff check .`)] : []),
    ...(/\bmypy\b/.test(settings) ? [gate('types', module('mypy .'))] : []),
    gate('test', hasPytest ? module('pytest') : `${runner}python3 -m unittest`),
  ];
}

function ruby({ has }: Repository): SuggestedGate[] {
  if (!has('Gemfile')) return [];
  return [
    gate(
      'test',
      has('spec') ? 'bundle exec rspec' : has('bin/rails') ? 'bin/rails test' : 'bundle exec rake test',
    ),
  ];
}

function java({ has }: Repository): SuggestedGate[] {
  if (has('pom.xml')) return [gate('test', `${has('mvnw') ? './mvnw' : 'mvn'} --batch-mode test`)];
  if (has('build.gradle', 'build.gradle.kts'))
    return [gate('test', `${has('gradlew') ? './gradlew' : 'gradle'} test`)];
  return [];
}

const php = ({ has }: Repository): SuggestedGate[] =>
  has('composer.json') ? [gate('test', 'vendor/bin/phpunit')] : [];

const elixir = ({ has }: Repository): SuggestedGate[] =>
  has('mix.exs') ? [gate('build', 'mix compile --warnings-as-errors'), gate('test', 'mix test')] : [];

const dotnet = ({ names }: Repository): SuggestedGate[] =>
  names.some((name) => /\.(sln|slnx|csproj|fsproj)$/.test(name))
    ? [gate('build', 'dotnet build'), gate('test', 'dotnet test')]
    : [];

const swift = ({ has }: Repository): SuggestedGate[] =>
  has('Package.swift') ? [gate('test', 'swift test')] : [];

const make = ({ text }: Repository): SuggestedGate[] => {
  const targets = text('Makefile') || text('makefile') || text('GNUmakefile');
  return ['check', 'test']
    .filter((name) => new RegExp(`^${name}\\s*:(?!=)`, 'm').test(targets))
    .slice(0, 1)
    .map((name) => gate('test', `make ${name}`));
};

const SUGGESTERS: readonly ((repository: Repository) => SuggestedGate[])[] = [
  node,
  deno,
  rust,
  go,
  python,
  ruby,
  java,
  php,
  elixir,
  dotnet,
  swift,
];
