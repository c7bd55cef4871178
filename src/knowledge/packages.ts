import { join } from 'node:path';
import type { GateConfig } from '../domain/config.ts';
import { wordsOf } from '../domain/gate-scripts.ts';
import type { Package } from '../domain/trust.ts';
import { lookAt } from './repository.ts';

/** The project's own package.json, and those of the folders that a gate names: `cd web && npm test`. */
export function packagesOf(root: string, gates: readonly Pick<GateConfig, 'command'>[]): Package[] {
  const { has } = lookAt(root);
  const named = gates.flatMap(({ command }) => wordsOf(command)).filter((word) => !word.startsWith('-'));
  const inside = named.filter((word) => !word.startsWith('/') && !word.split('/').includes('..'));
  const folders = ['.', ...new Set(inside)].filter((folder) => has(join(folder, 'package.json')));
  return folders.map((folder) => {
    const { packageJson, text } = lookAt(join(root, folder));
    return {
      file: join(folder, 'package.json'),
      scripts: { ...packageJson.scripts, ...shellOf(text('.npmrc')) },
    };
  });
}

/** With another shell every script does something else, so it counts as what runs before each of them. */
function shellOf(npmrc: string): Record<string, string> {
  const lines = npmrc
    .split('\n')
    .filter((line) => /^\s*(script-shell|node-options|ignore-scripts)\s*=/.test(line));
  return lines.length === 0 ? {} : { npm: `.npmrc: ${lines.map((line) => line.trim()).join('; ')}` };
}
