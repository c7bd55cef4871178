// The message of a commit. An agent wrote title and summary, so neither may contain trailers: only Ralph writes those.
import { withoutSecrets } from '../secrets/secret-text.ts';
import { plural, singleLine, visible } from '../text/text.ts';

type CommitMessage = {
  title: string;
  summary: string;
  /** In this order; a key may occur several times. */
  trailers: readonly (readonly [key: string, value: string])[];
};

export function commitMessage({ title, summary, trailers }: CommitMessage): string {
  const subject = quoteIfSpecial(singleLine(visible(withoutSecrets(title))));
  const body = formatBody(withoutSecrets(summary));
  const parts = [
    subject === '' ? 'Untitled' : subject,
    ...(body === '' ? [] : [trailers.length === 0 ? quoteLastParagraph(body) : body]),
    ...(trailers.length === 0 ? [] : [trailers.map(trailerLine).join('\n')]),
  ];
  return `${parts.join('\n\n')}\n`;
}

const formatBody = (text: string): string =>
  visible(text.replace(/\r\n?|[\u2028\u2029]/g, '\n'))
    .split('\n')
    .map((line) => quoteIfSpecial(line).trimEnd())
    .join('\n')
    .replace(/^\n+|\n+$/g, '');

const quoteIfSpecial = (line: string): string => (hasSpecialMeaning(line) ? `> ${line}` : line);

/** Some tools accept `Signed-off-by: x` on any line. After `---` or the scissors line git reads no trailers. */
const hasSpecialMeaning = (line: string): boolean =>
  /^[A-Za-z0-9]+(?:-[A-Za-z0-9]+)+\s*:/.test(line) ||
  /^(?:cc|fixes|closes|link)\s*:/i.test(line) ||
  /^\(cherry picked from commit /.test(line) ||
  line.startsWith('---') ||
  /^\S{1,4} -+ >8 -+/.test(line);

/** Git looks for trailers above comments and the list of conflicts that end a message. */
const IGNORED_END = /(?:\n(?:#[^\n]*|Conflicts:|\t[^\n]*)?)+$/;

/** Without trailers git reads the last paragraph as such, so none of its lines may look like one. */
function quoteLastParagraph(body: string): string {
  const start = body.replace(IGNORED_END, '').lastIndexOf('\n\n') + 1;
  const last = body.slice(start).replace(/^(?=[A-Za-z0-9-]+\s*:)/gm, '> ');
  return body.slice(0, start) + last;
}

function trailerLine([key, value]: readonly [string, string]): string {
  if (!/^[A-Za-z][A-Za-z0-9-]*$/.test(key)) throw new Error(`"${key}" is not a valid trailer key`);
  return `${key}: ${singleLine(visible(value))}`;
}

const MAX_NAMED = 3;

export function gateChangesText({ gate, files }: { gate: string; files: readonly string[] }): string {
  const more = files.length > MAX_NAMED ? ` and ${plural(files.length - MAX_NAMED, 'more file')}` : '';
  return `${files.slice(0, MAX_NAMED).join(', ')}${more} changed while the gate ${gate} ran; Ralph commits no such change`;
}

export const unsignedText = (reason: string): string =>
  `commits are not signed although commit.gpgsign asks for it: ${reason.replace(/\.$/, '')}; unlock the key, or sign them later`;

/** For the template `commit_message` of the configuration. */
export const PLACEHOLDERS = ['{title}', '{id}', '{feature}', '{type}'] as const;

export const unknownPlaceholders = (template: string): string[] =>
  (template.match(/\{\w+\}/g) ?? []).filter((word) => !(PLACEHOLDERS as readonly string[]).includes(word));

type Subject = {
  title: string;
  /** Null for a commit of several tasks. */
  id: number | null;
  feature: string | null;
  tags: readonly string[];
};

/** A placeholder without a value also removes the brackets and the number sign around it. */
export function commitSubject(template: string, { title, id, feature, tags }: Subject): string {
  const values: Record<string, string> = {
    '{title}': singleLine(title),
    '{id}': id === null ? '' : String(id),
    '{feature}': feature ?? '',
    '{type}': commitType(title, tags),
  };
  const filled = template.replace(/[([]?#?(\{\w+\})[)\]]?/g, (all, word: string) => {
    const value = values[word] ?? word;
    return value === '' ? '' : all.replace(word, () => value);
  });
  return singleLine(filled).replace(/\s+/g, ' ').trim();
}

const TYPES = ['feat', 'fix', 'docs', 'style', 'refactor', 'perf', 'test', 'build', 'ci', 'chore', 'revert'];

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

/** The type of a conventional commit: from a tag, else from the title's first word, else `feat`. */
function commitType(title: string, tags: readonly string[]): string {
  const words = [...tags, title.split(/\s/)[0] ?? ''].map((word) => word.toLowerCase());
  return words.map((word) => SYNONYMS[word] ?? word).find((word) => TYPES.includes(word)) ?? 'feat';
}
