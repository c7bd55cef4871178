import type { Definitions } from '../../domain/definition.ts';
import { requireOwnFile } from '../../files/leaves-project.ts';
import { definitionFiles, stampOf } from './definition-files.ts';

/** What the project's files say, or null where they have not changed since the stamp was taken. */
export async function changedDefinitions(
  root: string,
  lastStamp: string | null,
): Promise<{ definitions: Definitions; stamp: string } | null> {
  const files = definitionFiles(root);
  const stamp = stampOf(root, files);
  if (stamp === lastStamp) return null;
  for (const file of files) requireOwnFile(root, file);
  // Imported late: most commands find nothing new and never need a YAML parser.
  const { readDefinitions } = await import('./read-definitions.ts');
  return { definitions: await readDefinitions(root, files), stamp };
}
