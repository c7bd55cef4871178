import { isCommand } from '../host/processes/find-executable.ts';

/** The program that a command needs and that is not here; null where nothing is missing. Runs nothing. */
export function missingExecutable(
  command: string | readonly string[],
  root: string,
  path: string | undefined,
): string | null {
  const executable =
    (typeof command === 'string'
      ? command
          .trim()
          .split(/\s+/)
          .find((word) => !/^\w+=/.test(word))
      : command[0]) ?? '';
  if (typeof command === 'string' && isShell(executable)) return null;
  return isCommand(executable, root, path) ? null : executable;
}

/** What the shell itself understands is the shell's to find. */
const isShell = (word: string): boolean => /^[({$`]/.test(word) || SHELL_WORDS.includes(word);

const SHELL_WORDS = ['test', '[', 'true', 'false', 'cd', 'exit', 'export', 'set', 'if', 'for', '!', '.'];
