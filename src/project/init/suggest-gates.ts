// Suggests the commands that prove a done in this repository: one suggester for each ecosystem.
import type { Repository } from './repository.ts';
import { advisory, gate, nodeGates, type SuggestedGate } from './suggest-node-gates.ts';

export type { SuggestedGate };

/** A Makefile counts only if no other suggester finds a gate. */
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
    ? [
        gate('build', 'go build ./...'),
        gate('vet', 'go vet ./...'),
        ...(has('.golangci.yml', '.golangci.yaml') ? [advisory('lint', 'golangci-lint run')] : []),
        gate('test', 'go test ./...'),
      ]
    : [];

function python({ has, text }: Repository): SuggestedGate[] {
  if (!has('pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt', 'tox.ini', 'pytest.ini')) return [];
  const runner = has('uv.lock')
    ? 'uv run '
    : has('poetry.lock')
      ? 'poetry run '
      : has('pdm.lock')
        ? 'pdm run '
        : '';
  const settings = ['pyproject.toml', 'setup.cfg', 'tox.ini', 'requirements.txt', 'requirements-dev.txt']
    .map(text)
    .join('\n');
  const module = (name: string): string => (runner === '' ? `python3 -m ${name}` : `${runner}${name}`);
  const hasPytest = /\bpytest\b/.test(settings) || has('pytest.ini', 'conftest.py', 'tests/conftest.py');
  const hasRuff = /\bruff\b/.test(settings) || has('ruff.toml', '.ruff.toml');
  const hasMypy = /\bmypy\b/.test(settings) || has('mypy.ini', '.mypy.ini');
  const hasPyright = /^\[tool\.pyright\]/m.test(settings) || has('pyrightconfig.json');
  return [
    ...(hasRuff ? [advisory('lint', `${runner}ruff check .`)] : []),
    ...(hasMypy ? [gate('types', module(namesItsFiles(text) ? 'mypy' : 'mypy .'))] : []),
    ...(hasPyright && !hasMypy ? [gate('types', `${runner}pyright`)] : []),
    gate('test', hasPytest ? module('pytest') : `${runner}python3 -m unittest`),
  ];
}

/** True if the configuration names the files that mypy checks: `.` would add files that it leaves out on purpose. */
function namesItsFiles(text: Repository['text']): boolean {
  const sections = [
    text('pyproject.toml').split(/^\[tool\.mypy\]/m)[1],
    ...['setup.cfg', 'mypy.ini', '.mypy.ini'].map((file) => text(file).split(/^\[mypy\]/m)[1]),
  ];
  return sections.some((section) => /^(?:files|packages|modules)\s*=/m.test(section?.split(/^\[/m)[0] ?? ''));
}

function ruby({ has }: Repository): SuggestedGate[] {
  if (!has('Gemfile')) return [];
  return [
    ...(has('.rubocop.yml') ? [advisory('lint', 'bundle exec rubocop')] : []),
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

const php = ({ has, text }: Repository): SuggestedGate[] =>
  has('composer.json')
    ? [
        ...(has('phpstan.neon', 'phpstan.neon.dist') ? [gate('types', 'vendor/bin/phpstan analyse')] : []),
        gate('test', /"test"\s*:/.test(text('composer.json')) ? 'composer test' : 'vendor/bin/phpunit'),
      ]
    : [];

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
  nodeGates,
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
