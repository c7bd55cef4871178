import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** The file of a command, or null. Skips relative entries of PATH: the repository controls them. */
export function findExecutable(name: string, path: string | undefined): string | null {
  const folders = (path ?? '').split(delimiter).filter(isAbsolute);
  const candidates = isAbsolute(name) ? [name] : folders.map((folder) => join(folder, name));
  return candidates.find(isExecutable) ?? null;
}

/** Whether a command can be started in this folder, by name or by relative path. */
export const isCommand = (executable: string, root: string, path: string | undefined): boolean =>
  executable.includes('/')
    ? isExecutable(resolve(root, executable))
    : findExecutable(executable, path) !== null;

/** Why a command cannot be started in this folder; null if it can. */
export function whyNoCommand(executable: string, root: string, path: string | undefined): string | null {
  if (isCommand(executable, root, path)) return null;
  const folders = (path ?? '').split(delimiter).filter(isAbsolute);
  const candidates = executable.includes('/')
    ? [resolve(root, executable)]
    : folders.map((folder) => join(folder, executable));
  const found = candidates.find((file) => existsSync(file));
  return found === undefined ? 'ENOENT' : `${found} is not executable`;
}

function isExecutable(file: string): boolean {
  try {
    // First, because it throws nothing for a missing file: most folders of PATH lack the command.
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
