// What counts of the files below `.ralph` while agents can write there: what a person or Ralph itself has accepted.
import { isHeldFile } from '../domain/definition.ts';
import { decodeText, readText } from './read-text.ts';

/** By path, relative to the project. Null: what is on the disk counts. */
export type AcceptedFiles = ReadonlyMap<string, Buffer> | null;

/** Undefined if the disk says what is in the file; null if no such file is accepted. */
export function acceptedContent(accepted: AcceptedFiles, path: string): Buffer | null | undefined {
  return accepted === null || !isHeldFile(path) ? undefined : (accepted.get(path) ?? null);
}

/** As `readText`. `full`: the path of the file on the disk. */
export async function readAcceptedText(
  accepted: AcceptedFiles,
  full: string,
  path: string,
): Promise<string | undefined> {
  const content = acceptedContent(accepted, path);
  if (content === undefined) return readText(full, path);
  return content === null ? undefined : decodeText(content, path);
}

/** The names of the accepted files in a folder, without those in folders below it. */
export const acceptedNames = (accepted: NonNullable<AcceptedFiles>, folder: string): string[] =>
  [...accepted.keys()].flatMap((path) => {
    const name = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : '';
    return name === '' || name.includes('/') ? [] : [name];
  });
