// A change of what definition files define is made in the files, if the person agrees.
import { join } from 'node:path';
import { type Project, syncDefinitions } from '../../app/open-project.ts';
import type { CommandContext } from '../../app/world.ts';
import { Refusal } from '../../domain/refusal.ts';
import { writeFileWhole } from '../../files/write-file.ts';
import type { EntryEdit } from '../../project/definitions/edit-files.ts';

/** `subject`: what is defined, such as "feature auth". */
export type FileEdit = { subject: string; edits: readonly EntryEdit[]; yes: boolean };

/** Changes the files and applies them, then does the rest of the work. If that fails, the files are as before. Returns their names. */
export async function changeFiles(
  { terminal: { ask } }: Pick<CommandContext, 'terminal'>,
  project: Project,
  { subject, edits, yes }: FileEdit,
  work: () => Promise<void> = async () => {},
): Promise<string[]> {
  const { editFiles } = await import('../../project/definitions/edit-files.ts');
  const changes = await editFiles(project.root, edits);
  const files = changes.map(({ file }) => file);
  if (!yes && changes.length > 0) {
    const found = `${files.join(' and ')} ${files.length === 1 ? 'defines' : 'define'} ${subject}`;
    if (ask === null) throw new Refusal(`${found}; change it there, or let Ralph do that with --yes.`);
    if (/^n/i.test((await ask(`${found}. Change it there? [Y/n] `)).trim()))
      throw new Refusal('Nothing was changed.');
  }
  const write = async (which: 'before' | 'after'): Promise<void> => {
    for (const change of changes) await writeFileWhole(join(project.root, change.file), change[which]);
    await syncDefinitions(project);
  };
  try {
    await write('after');
    await work();
  } catch (error) {
    await write('before');
    throw error;
  }
  return files;
}

/** A second sentence that names the changed files; empty if there are none. */
export const changedFilesText = (files: readonly string[]): string =>
  files.length === 0 ? '' : ` Changed ${files.join(' and ')}.`;
