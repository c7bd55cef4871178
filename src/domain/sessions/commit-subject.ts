// The subject of a commit by the template of the configuration.
import { folded } from '../text/text.ts';

export const PLACEHOLDERS = ['{title}', '{id}', '{feature}', '{type}'] as const;

export const unknownPlaceholders = (template: string): string[] =>
  (template.match(/\{\w+\}/g) ?? []).filter((word) => !(PLACEHOLDERS as readonly string[]).includes(word));

export type Subject = {
  title: string;
  /** Null for a commit of several tasks. */
  id: number | null;
  feature: string | null;
  tags: readonly string[];
};

/** A placeholder without a value takes brackets and a number sign around it with it. */
export function commitSubject(template: string, { title, id, feature, tags }: Subject): string {
  const values: Record<string, string> = {
    '{title}': folded(title),
    '{id}': id === null ? '' : String(id),
    '{feature}': feature ?? '',
    '{type}': typeOf(title, tags),
  };
  const filled = template.replace(/[([]?#?(\{\w+\})[)\]]?/g, (all, word: string) => {
    const value = values[word] ?? word;
    return value === '' ? '' : all.replace(word, () => value);
  });
  return folded(filled).replace(/\s+/g, ' ').trim();
}

const TYPES = ['feat', 'fix', 'docs', 'style', 'refactor', 'perf', 'test', 'build', 'ci', 'chore', 'revert'];

/** What people call it elsewhere. */
const SYNONYMS: Readonly<Record<string, string>> = {
  feature: 'feat',
  bug: 'fix',
  bugfix: 'fix',
  documentation: 'docs',
  document: 'docs',
  performance: 'perf',
  tests: 'test',
  correct: 'fix',
  repair: 'fix',
  rename: 'refactor',
  simplify: 'refactor',
};

/** By convention: a tag says it, else the first word of the title; most tasks add something. */
function typeOf(title: string, tags: readonly string[]): string {
  const words = [...tags, title.split(/\s/)[0] ?? ''].map((word) => word.toLowerCase());
  const known = words.map((word) => SYNONYMS[word] ?? word).find((word) => TYPES.includes(word));
  return known ?? 'feat';
}
