// Text that a person gives: a file, standard input, or what they write into their editor.
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text as readStream } from 'node:stream/consumers';
import type { CommandContext } from '../../app/world.ts';
import { Refusal } from '../../domain/refusal.ts';
import { MAX_TEXT, textProblem } from '../../domain/text/text.ts';
import { runOnTerminal } from '../../host/processes/spawn.ts';

/** The longest text that Ralph stores, in UTF-8. */
const MAX_BYTES = 4 * MAX_TEXT;

type Where = Pick<CommandContext, 'cwd' | 'env' | 'terminal' | 'pipes'>;

/** From the file; from standard input for `-` or in a pipe; from the editor on a terminal. */
export async function readThoughts(context: Where, file: string | undefined): Promise<string> {
  const { cwd, pipes, terminal } = context;
  const text =
    file !== undefined && file !== '-'
      ? await readText(resolve(cwd, file), file)
      : file === undefined && terminal.ask !== null
        ? await writeInEditor(context)
        : await readStdin(pipes);
  if (text.trim() === '')
    throw new Refusal('There is nothing to sort: give a file, or a text on standard input.');
  const problem = textProblem(text, MAX_TEXT);
  if (problem !== null) throw new Refusal(`The text ${problem}.`);
  return text;
}

async function readStdin({ stdin, log }: Where['pipes']): Promise<string> {
  if (stdin.isTTY) log('ralph: Write down what is on your mind; Ctrl-D ends it.\n');
  return readStream(stdin);
}

async function readText(path: string, label: string): Promise<string> {
  const { size = 0 } = (await stat(path).catch(() => null)) ?? {};
  if (size > MAX_BYTES) throw new Refusal(`${label} is ${size} bytes large; at most ${MAX_BYTES} are read.`);
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new Refusal(`${label} cannot be read (${error.code}); give a text file.`, { cause: error });
  });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new Refusal(`${label} is not UTF-8 text; save it as UTF-8.`, { cause: error });
  }
}

const INSTRUCTION =
  '# Write down what is on your mind, in no order; lines like this one are left out. An empty file stops.';

async function writeInEditor(context: Where): Promise<string> {
  const text = await editText(context, 'braindump.md', `\n${INSTRUCTION}\n`);
  return text
    .split('\n')
    .filter((line) => line !== INSTRUCTION)
    .join('\n');
}

/** Opens the text in the person's editor, as git does, and returns the edited text. */
export async function editText({ env, cwd }: Where, name: string, text: string): Promise<string> {
  const editor = env['VISUAL'] || env['EDITOR'] || 'vi';
  const path = join(tmpdir(), `ralph-${crypto.randomUUID()}-${name}`);
  try {
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
    const { code, error } = await runOnTerminal('sh', ['-c', `${editor} "$1"`, editor, path], { cwd, env });
    if (error !== null || code !== 0)
      throw new Refusal(
        `The editor "${editor}" could not be used (${error ?? code}); set EDITOR to one that can. Nothing was changed.`,
      );
    return await readText(path, name);
  } finally {
    await rm(path, { force: true });
  }
}
