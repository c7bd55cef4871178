// Reads the files that a feature names: only inside the project, and never files that may hold secrets.
import type { ContextFile } from '../domain/context.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Feature } from '../domain/tasks/feature.ts';
import { type FoundPath, findFiles, mayName } from '../files/find-files.ts';
import { readFoundFile, withheldBecause } from '../files/read-files.ts';

export const featurePatterns = ({
  knowledge_paths,
  context_files,
  added_files,
}: Pick<Feature, 'knowledge_paths' | 'context_files' | 'added_files'>): string[] => [
  ...new Set([...knowledge_paths, ...context_files, ...added_files.map(({ path }) => path)]),
];

/** Each file once. */
export async function namedFiles(
  root: string,
  patterns: readonly string[],
  limit?: number,
): Promise<FoundPath[]> {
  const found = await Promise.all(patterns.map((pattern) => findFiles(root, pattern, limit)));
  return [...new Map(found.flat().map((one) => [one.path, one])).values()];
}

/** The named files that exist and may be shown. */
export async function shownFiles(
  root: string,
  patterns: readonly string[],
  isSecret: (path: string) => boolean,
): Promise<string[]> {
  const found = await namedFiles(root, patterns);
  return found.flatMap((one) => (withheldBecause(one, isSecret) === null ? [one.path] : []));
}

/** Null if no pattern names the file. */
export async function readNamedFile(
  root: string,
  patterns: readonly string[],
  path: string,
  { isSecret, limit }: { isSecret: (path: string) => boolean; limit?: number },
): Promise<string | null> {
  // Patterns that cannot match are skipped, so that their folders are not walked.
  const candidates = patterns.filter((pattern) => mayName(root, pattern, path));
  const file = (await namedFiles(root, candidates, limit)).find((one) => one.path === path);
  return file === undefined ? null : requireText(path, await readFoundFile(root, file, isSecret));
}

function requireText(path: string, content: ContextFile['content']): string {
  if (content.kind === 'text') return content.text;
  throw new Refusal(
    content.kind === 'withheld'
      ? `${path} is not shown (${content.reason}).`
      : `The feature names ${path}, but there is no such file.`,
  );
}
