// What a command needs and this machine lacks: its program, or the Python module that the program is to run.
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join, relative, resolve } from 'node:path';
import { findExecutable, isCommand } from '../host/processes/find-executable.ts';
import { runToEnd } from '../host/processes/spawn.ts';
import type { World } from './world.ts';

/** `python` is null where the program itself is missing. */
export type MissingProgram = { name: string; python: string | null };

/** Null where nothing is missing, or where only the project's own code could tell. Runs nothing of the project. */
export async function missingProgram(
  command: string | readonly string[],
  root: string,
  env: World['env'],
): Promise<MissingProgram | null> {
  const isLine = typeof command === 'string';
  const words = isLine ? command.trim().split(/\s+/) : command;
  const [executable = '', ...args] = isLine ? withoutVariables(words) : words;
  if (isLine && isShell(executable)) return null;
  if (!isCommand(executable, root, env['PATH'])) return { name: executable, python: null };
  if (!/^python[\d.]*$/.test(basename(executable))) return null;
  const module = pythonModule(args);
  return module === null || (await hasModule(module, executable, root, env))
    ? null
    : { name: module, python: executable };
}

const withoutVariables = (words: readonly string[]): readonly string[] =>
  words.slice(words.findIndex((word) => !/^\w+=/.test(word)));

/** What the shell itself understands is the shell's to find. */
const isShell = (word: string): boolean => /^[({$`]/.test(word) || SHELL_WORDS.includes(word);

const SHELL_WORDS = ['test', '[', 'true', 'false', 'cd', 'exit', 'export', 'set', 'if', 'for', '!', '.'];

/** The top-level name behind `-m`; null where a script or a text is run instead. */
function pythonModule(args: readonly string[]): string | null {
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (word === '-m') return /^[A-Za-z_]\w*/.exec(args[at + 1] ?? '')?.[0] ?? null;
    if (word === '-W' || word === '-X') at++;
    else if (!word.startsWith('-') || word === '-c' || word === '-') return null;
  }
  return null;
}

/** True if only running the project's own files could tell. */
async function hasModule(
  module: string,
  executable: string,
  root: string,
  env: World['env'],
): Promise<boolean> {
  const folders = (env['PYTHONPATH'] ?? '').split(delimiter).filter(Boolean);
  if ([root, ...folders.map((folder) => resolve(root, folder))].some(holds(module))) return true;
  const python = executable.includes('/')
    ? resolve(root, executable)
    : findExecutable(executable, env['PATH']);
  if (python === null || isChosenByProject(python, root)) return true;
  return isInside(root, python) ? environmentHolds(module, python) : answersToHave(module, python, env);
}

const holds =
  (module: string) =>
  (folder: string): boolean =>
    existsSync(join(folder, module)) || existsSync(join(folder, `${module}.py`));

/** pyenv, asdf and mise start the interpreter that a file of the project names; outside of it they start another. */
const isChosenByProject = (python: string, root: string): boolean =>
  basename(dirname(python)) === 'shims' &&
  ['.python-version', '.tool-versions', 'mise.toml', '.mise.toml'].some((file) =>
    existsSync(join(root, file)),
  );

/** By its path: the interpreter of a virtual environment in the project is a link to one outside of it. */
const isInside = (root: string, path: string): boolean =>
  !relative(realpathSync(root), join(realpathSync(dirname(path)), basename(path))).startsWith('..');

/** The files of a virtual environment may have come with a clone, so they are looked at and not run. */
function environmentHolds(module: string, python: string): boolean {
  const library = join(dirname(dirname(python)), 'lib');
  if (!existsSync(library)) return true;
  const packages = readdirSync(library).map((version) => join(library, version, 'site-packages'));
  // A .pth file may name folders anywhere: only Python itself could tell then.
  const isElsewhere = (folder: string): boolean =>
    readdirSync(folder).some((name) => name.endsWith('.pth') && !TOOLS_OWN.includes(name));
  return packages.filter(existsSync).some((folder) => holds(module)(folder) || isElsewhere(folder));
}

/** What setuptools and virtualenv put there; they name no folder. */
const TOOLS_OWN = ['distutils-precedence.pth', '_virtualenv.pth'];

const FIND_MODULE =
  'import importlib.util, sys; sys.exit(3 if importlib.util.find_spec(sys.argv[1]) is None else 0)';
const PYTHON_TIMEOUT_MS = 10_000;

/** Outside of the project, and without the variables by which a project names modules that Python runs at its start. */
async function answersToHave(module: string, python: string, env: World['env']): Promise<boolean> {
  const { code } = await runToEnd(python, ['-c', FIND_MODULE, module], {
    cwd: '/',
    env: { HOME: env['HOME'], PATH: env['PATH'] },
    timeoutMs: PYTHON_TIMEOUT_MS,
  });
  return code !== 3;
}
