import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** The file that a command name stands for, or null. Relative entries of PATH are passed over: they are the repository's. */
export function findExecutable(name: string, path: string | undefined): string | null {
  const folders = (path ?? '').split(delimiter).filter(isAbsolute);
  const candidates = isAbsolute(name) ? [name] : folders.map((folder) => join(folder, name));
  return candidates.find(isExecutable) ?? null;
}

/** Whether a command can be started in this folder, by its name or by its path from there. */
export const isCommand = (executable: string, root: string, path: string | undefined): boolean =>
  executable.includes('/')
    ? isExecutable(resolve(root, executable))
    : findExecutable(executable, path) !== null;

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
