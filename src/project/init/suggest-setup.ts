// Suggests how a fresh checkout gets its dependencies: by the lock files, so that it gets the same ones each time.
import type { Repository } from './repository.ts';

export type SuggestedSetup = {
  command: string;
  /** The lock files whose change makes it necessary again. */
  stamp: readonly string[];
};

/** One for each ecosystem; Cargo, Go and the like fetch their dependencies when they build. */
const ECOSYSTEMS: readonly (readonly [file: string, command: (repository: Repository) => string][])[] = [
  [
    ['pnpm-lock.yaml', () => 'pnpm install --frozen-lockfile'],
    ['yarn.lock', (one) => `yarn install ${isBerry(one) ? '--immutable' : '--frozen-lockfile'}`],
    ['bun.lock', () => 'bun install --frozen-lockfile'],
    ['bun.lockb', () => 'bun install --frozen-lockfile'],
    ['package-lock.json', () => 'npm ci'],
  ],
  [
    ['uv.lock', () => 'uv sync --frozen'],
    ['poetry.lock', () => 'poetry install'],
    ['Pipfile.lock', () => 'pipenv sync'],
  ],
  [['Gemfile.lock', () => 'bundle install']],
  [['composer.lock', () => 'composer install']],
];

/** Null if no lock file shows what is to be installed. */
export function suggestSetup(repository: Repository): SuggestedSetup | null {
  const found = ECOSYSTEMS.flatMap((files) => {
    const first = files.find(([file]) => repository.has(file));
    return first === undefined ? [] : [{ file: first[0], command: first[1](repository) }];
  });
  if (found.length === 0) return null;
  return {
    command: found.map(({ command }) => command).join(' && '),
    stamp: found.map(({ file }) => file),
  };
}

/** Yarn 2 and later write another lock file, and call the option otherwise. */
const isBerry = ({ has, text }: Repository): boolean =>
  has('.yarnrc.yml') || /^__metadata:/m.test(text('yarn.lock'));
