import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { scriptLines } from '../../../src/domain/trust.ts';
import { gatePackages } from '../../../src/project/init/packages.ts';
import { tempDir } from '../../support/temp.ts';

function linesFor(command: string, scripts: Record<string, string>): string[] {
  const root = tempDir();
  const packages = {
    'package.json': { workspaces: ['packages/*'], scripts },
    'packages/a/package.json': { scripts: { test: 'vitest run', lint: 'eslint a' } },
    'packages/b/package.json': { scripts: { test: 'jest' } },
  };
  for (const [file, value] of Object.entries(packages)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), JSON.stringify(value));
  }
  const gates = [{ command }];
  return scriptLines(gates, gatePackages(root, gates));
}

it.each([
  [
    'npm run test --workspaces --if-present',
    {},
    ['script test of packages/a/package.json: vitest run', 'script test of packages/b/package.json: jest'],
  ],
  [
    'npm run ci',
    { ci: 'turbo run lint' },
    ['script ci of package.json: turbo run lint', 'script lint of packages/a/package.json: eslint a'],
  ],
  ['npm test', { test: 'vitest' }, ['script test of package.json: vitest']],
])(
  'a person who trusts the gate `%s` trusts the scripts that it runs in packages of a monorepo',
  (command, scripts, lines) => {
    expect(linesFor(command, scripts as Record<string, string>)).toEqual(lines);
  },
);
