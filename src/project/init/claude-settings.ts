// Settings of the repository that Claude Code obeys: without a terminal it does so without asking the person.
import type { ClaudeSetting } from '../../domain/trust.ts';
import { readRepository } from './repository.ts';

const FILES = ['.claude/settings.json', '.claude/settings.local.json'];

/**
 * Claude Code executes nothing of these, and "always allow" changes them often. Every other key is shown to the person: a later
 * version of Claude Code may execute it.
 */
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
    // Claude Code may accept what JSON.parse refuses. An empty text is a file that is too large or outside the project.
    return [{ file, key: 'everything', value: text === '' ? '(not shown; look at the file)' : text }];
  }
}
