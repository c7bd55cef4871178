// Starts a command in its sandbox, if it has one, and reads how it really ended.
import type { Refused } from '../../domain/sandbox/hosts.ts';
import { type Exit, type StartedProcess, start } from '../processes/spawn.ts';
import type { EncloseOptions, Enclosure } from './sandbox.ts';

type EnclosedProcess = StartedProcess & {
  /** Whether nothing of it survives its first process, which must not get a signal before the others. */
  isWalled: boolean;
  refused: Refused;
};

/** Begins the error of a process whose wall could not be built. */
export const UNBUILT = 'the sandbox could not be built';

export async function startEnclosed(
  enclosure: Enclosure | null | undefined,
  command: readonly string[],
  options: EncloseOptions,
): Promise<EnclosedProcess> {
  if (enclosure === null || enclosure === undefined) {
    const [file = '', ...args] = command;
    return { ...start(file, args, options), isWalled: false, refused: new Map() };
  }
  const enclosed = await enclosure(command, options);
  const [file = '', ...args] = enclosed.command;
  const child = start(file, args, { ...options, env: enclosed.env, hasReport: enclosed.isWalled });
  const exited = (enclosed.isWalled ? readEnd(child) : child.exited).finally(enclosed.over);
  return { ...child, exited, isWalled: enclosed.isWalled, refused: enclosed.refused };
}

/** Signals that bubblewrap passes on as a number. */
const SIGNALS: Readonly<Record<number, string>> = { 137: 'SIGKILL', 143: 'SIGTERM' };

/** The command's own end, which bubblewrap would turn into a number. */
async function readEnd({ exited, report, stderr }: StartedProcess): Promise<Exit> {
  let text = '';
  let errors = '';
  report?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const onError = (chunk: Buffer | string): void => {
    if (text === '') errors = `${errors}${chunk}`.slice(-500);
  };
  stderr.on('data', onError);
  const closed = new Promise<void>((over) => {
    if (report === null) over();
    else report.once('close', () => over());
  });
  const exit = await exited;
  await closed;
  if (text !== '') return JSON.parse(text);
  if (exit.error !== null || exit.signal !== null) return exit;
  const signal = SIGNALS[exit.code ?? 0];
  if (signal !== undefined) return { code: null, signal, error: null };
  return { code: null, signal: null, error: `${UNBUILT}: ${errors.trim()}` };
}
