import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../../../domain/refusal.ts';
import { requireNoWayOut } from '../../../files/own-file.ts';
import { MAX_BYTES, readText } from '../../../files/read-text.ts';
import { recognisesBacklogMd } from './backlog-md.ts';

/** Not the archive: its tasks were thrown away. */
const FOLDERS = ['tasks', 'completed', 'drafts'];

/** All tasks of a folder of Backlog.md as one text; null if it is no such folder. `root`: no link in it may leave the project. */
export async function readBacklogFolder(root: string, folder: string): Promise<string | null> {
  const texts: string[] = [];
  let size = 0;
  for (const name of FOLDERS) {
    const place = join(folder, name);
    requireNoWayOut(root, place);
    const entries = await readdir(place, { withFileTypes: true }).catch(() => []);
    const files = entries
      .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
      .map((entry) => entry.name);
    for (const file of files.sort()) {
      const text = (await readText(join(place, file), file)) ?? '';
      size += text.length;
      if (size > MAX_BYTES) throw new Refusal(`${folder} holds more than 32 MB; import its parts.`);
      if (recognisesBacklogMd(text)) texts.push(text.trim());
    }
  }
  return texts.length === 0 ? null : texts.join('\n\n');
}
