// What a prompt says of the project's files besides their text.
import type { FileChange, PromptContext } from '../domain/context.ts';
import type { Feature } from '../domain/tasks/feature.ts';
import { findFiles } from '../files/find-files.ts';
import { withheldBecause } from '../files/read-files.ts';

export async function readSpec(
  root: string,
  feature: Pick<Feature, 'spec_file'> | null,
  isSecret: (path: string) => boolean,
): Promise<PromptContext['spec']> {
  const path = feature?.spec_file?.trim() ?? '';
  if (path === '') return null;
  const [found = { kind: 'missing', path } as const] = await findFiles(root, path, 1);
  return { path, problem: withheldBecause(found, isSecret) };
}

/** More would not change what a prompt shows of them. */
const MAX_LISTED = 20_000;

/** Without git everything that is not passed over counts as a file of the project. */
export async function readCodebase(
  root: string,
  listFiles: () => Promise<readonly string[] | null>,
): Promise<readonly string[]> {
  const listed = await listFiles();
  if (listed !== null) return listed;
  const found = await findFiles(root, '.', MAX_LISTED);
  return found.flatMap(({ kind, path }) => (kind === 'file' && !path.startsWith('.ralph/') ? [path] : []));
}

export const withoutSecrets = (change: FileChange, isSecret: (path: string) => boolean): FileChange =>
  isSecret(change.path) ? { ...change, diff: { kind: 'withheld', reason: 'may hold secrets' } } : change;
