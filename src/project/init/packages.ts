import { join } from 'node:path';
import type { GateConfig } from '../../domain/config.ts';
import { commandWords, runsPackages, scriptsBehind } from '../../domain/sessions/gate.ts';
import type { Package } from '../../domain/trust.ts';
import { readRepository } from './repository.ts';

/**
 * The packages whose scripts the gates may run: the project's own, those of folders that a gate names (`cd web && npm test`),
 * and all workspaces if a gate runs them (`npm test -ws`).
 */
export function gatePackages(root: string, gates: readonly Pick<GateConfig, 'command'>[]): Package[] {
  const { has, packageJson: own, workspaces } = readRepository(root);
  const words = gates.flatMap(({ command }) => commandWords(command)).filter((word) => !word.startsWith('-'));
  const relative = words.filter((word) => !word.startsWith('/') && !word.split('/').includes('..'));
  const folders = ['.', ...new Set(relative)].filter((folder) => has(join(folder, 'package.json')));
  const commands = gates.flatMap(({ command }) => [
    commandWords(command).join(' '),
    ...scriptsBehind(command, own.scripts).values(),
  ]);
  const others = commands.some(runsPackages)
    ? workspaces().filter(({ folder }) => !folders.includes(folder))
    : [];
  return [
    ...folders.map((folder) => {
      const { packageJson, text } = readRepository(join(root, folder));
      return packageIn(folder, { ...packageJson.scripts, ...npmrcScripts(text('.npmrc')) });
    }),
    ...others.map(({ folder, packageJson: { scripts } }) => ({
      ...packageIn(folder, scripts),
      isWorkspace: true,
    })),
  ];
}

const packageIn = (folder: string, scripts: Package['scripts']): Package => ({
  file: join(folder, 'package.json'),
  scripts,
});

/** These settings change what every script does, so they count as a script that runs before each of them. */
function npmrcScripts(npmrc: string): Record<string, string> {
  const lines = npmrc
    .split('\n')
    .filter((line) => /^\s*(script-shell|node-options|ignore-scripts)\s*=/.test(line));
  return lines.length === 0 ? {} : { npm: `.npmrc: ${lines.map((line) => line.trim()).join('; ')}` };
}
