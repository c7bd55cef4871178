// Changes entries of the definition files. What else people wrote in them stays.
import { join } from 'node:path';
import { parse } from 'yaml';
import { Refusal } from '../../domain/refusal.ts';
import { requireOwnFile } from '../../files/own-file.ts';
import { readText } from '../../files/read-text.ts';
import { definitionFiles } from './definition-files.ts';
import { rewriteYaml } from './rewrite-yaml.ts';

export type Entry = Readonly<Record<string, unknown>>;

/** `change` returns the entry as it should be: the same one if it stays, null if it goes. */
export type EntryEdit = {
  kind: 'disciplines' | 'features' | 'tasks';
  change(entry: Entry): Entry | null;
};

export type FileChange = { file: string; before: string; after: string };

/** The files that would change. Only for files that were just applied, so that they are known to be right. */
export async function editFiles(root: string, edits: readonly EntryEdit[]): Promise<FileChange[]> {
  const changes: FileChange[] = [];
  for (const file of definitionFiles(root)) {
    requireOwnFile(root, file);
    const before = await readText(join(root, file), file);
    if (before === undefined) continue;
    const value = readEntries(before, file);
    const next = edits.reduce(applyEdit, value);
    if (next !== value) changes.push({ file, before, after: rewriteYaml(before, next, file) });
  }
  return changes;
}

function readEntries(text: string, file: string): Entry {
  try {
    return parse(text) ?? {};
  } catch (error) {
    throw new Refusal(
      `${file} changed meanwhile and is no YAML now; save it as a whole, then repeat the command.`,
      {
        cause: error,
      },
    );
  }
}

function applyEdit(value: Entry, { kind, change }: EntryEdit): Entry {
  const entries = value[kind];
  if (!Array.isArray(entries)) return value;
  const changed = entries.flatMap((entry: Entry) => change(entry) ?? []);
  const isSame =
    changed.length === entries.length && changed.every((entry, index) => entry === entries[index]);
  return isSame ? value : { ...value, [kind]: changed };
}
