// A change of what definition files define is made in the files, if the person agrees.
import { join } from 'node:path';
import { requireNothingHeld } from '../../app/definitions/definitions.ts';
import { type Project, syncDefinitions } from '../../app/open-project.ts';
import type { CommandContext } from '../../app/world.ts';
import { Refusal } from '../../domain/refusal.ts';
import { readText } from '../../files/read-text.ts';
import { writeFileWhole } from '../../files/write-file.ts';
import { acceptFiles } from '../../host/definitions/accepted.ts';
import type { EntryEdit, FileChange } from '../../project/definitions/edit-files.ts';
import { exclusively } from '../../queue/queue.ts';

/** `subject`: what is defined, such as "feature auth". */
type FileEdit = { subject: string; edits: readonly EntryEdit[]; yes: boolean };

/** Changes the files and applies them, then does the rest of the work. If that fails, the files are as before. Returns their names. */
export async function changeFiles(
  { terminal: { ask } }: Pick<CommandContext, 'terminal'>,
  project: Project,
  { subject, edits, yes }: FileEdit,
  work: () => Promise<void> = async () => {},
): Promise<string[]> {
  const { editFiles } = await import('../../project/definitions/edit-files.ts');
  const files = (await editFiles(project.root, edits)).map(({ file }) => file);
  if (!yes && files.length > 0) {
    const found = `${files.join(' and ')} ${files.length === 1 ? 'defines' : 'define'} ${subject}`;
    if (ask === null) throw new Refusal(`${found}; change it there, or let Ralph do that with --yes.`);
    if (/^n/i.test((await ask(`${found}. Change it there? [Y/n] `)).trim()))
      throw new Refusal('Nothing was changed.');
  }
  await requireNothingHeld(project);
  // Read again: the person or another process may have saved the files since.
  const changes = await exclusively(project.queue, async () => {
    const latest = await editFiles(project.root, edits);
    for (const { file, after } of latest) await writeFileWhole(join(project.root, file), after);
    return latest;
  });
  const unaccept = await acceptFiles(project, files);
  try {
    await syncDefinitions(project);
    await work();
  } catch (error) {
    await exclusively(project.queue, () => undo(project.root, changes));
    await unaccept();
    await syncDefinitions(project);
    throw error;
  }
  return files;
}

/** Leaves a file alone that was saved since. */
async function undo(root: string, changes: readonly FileChange[]): Promise<void> {
  for (const { file, before, after } of changes)
    if ((await readText(join(root, file), file)) === after) await writeFileWhole(join(root, file), before);
}

/** A second sentence that names the changed files; empty if there are none. */
export const changedFilesText = (files: readonly string[]): string =>
  files.length === 0 ? '' : ` Changed ${files.join(' and ')}.`;
