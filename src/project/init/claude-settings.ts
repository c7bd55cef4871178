// What a repository tells Claude Code to do by itself: without a terminal it obeys, and asks nobody.
import type { ClaudeSetting } from '../../domain/trust.ts';
import { readRepository } from './repository.ts';

const FILES = ['.claude/settings.json', '.claude/settings.local.json'];

/** Changed by every "always allow", and nothing of them is executed. All others are shown: what they do may change with the next version. */
const HARMLESS = new Set([
  '$schema',
  'permissions',
  'model',
  'outputStyle',
  'language',
  'includeCoAuthoredBy',
]);

export function claudeSettings(root: string): ClaudeSetting[] {
  const { has, text } = readRepository(root);
  return FILES.filter((file) => has(file)).flatMap((file) => settingsIn(file, text(file)));
}

function settingsIn(file: string, text: string): ClaudeSetting[] {
  try {
    const parsed: unknown = JSON.parse(text);
    return Object.entries(typeof parsed === 'object' && parsed !== null ? parsed : {})
      .filter(([key]) => !HARMLESS.has(key))
      .map(([key, value]) => ({ file, key, value: JSON.stringify(value) }));
  } catch {
    // Whoever reads it may be more lenient; and what is too large, or leads out of the project, is not shown.
    return [{ file, key: 'everything', value: text === '' ? '(not shown; look at the file)' : text }];
  }
}
