// Reads a file that a person names, whole or not at all.
import { constants, readdirSync } from 'node:fs';
import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { Refusal } from '../domain/refusal.ts';

/** Larger than any backlog; Ralph refuses a larger file before it reads it. */
export const MAX_BYTES = 32 * 1024 * 1024;

/** Undefined if there is no such file. */
export async function readText(
  path: string,
  label: string,
  read: (file: FileHandle) => Promise<Buffer> = (file) => file.readFile(),
): Promise<string | undefined> {
  const file = await openFile(path, label);
  if (file === undefined) return undefined;
  try {
    const before = await file.stat({ bigint: true });
    if (!before.isFile()) throw new Refusal(`${label} is not a file; move it away.`);
    if (before.size > MAX_BYTES)
      throw new Refusal(
        `${label} is ${before.size} bytes large; at most ${MAX_BYTES} are read (32 MB). Split it.`,
      );
    const bytes = await read(file);
    const after = await file.stat({ bigint: true });
    const there = await stat(path, { bigint: true }).catch(() => undefined);
    const isSame = [after, there].every(
      (one) => one?.ino === before.ino && one.size === before.size && one.mtimeNs === before.mtimeNs,
    );
    if (!isSame || BigInt(bytes.length) !== before.size)
      throw new Refusal(`${label} changed while it was read; try again when nothing writes it.`);
    return decodeText(bytes, label);
  } catch (error) {
    throw explainError(error, label);
  } finally {
    await file.close();
  }
}

/** O_NONBLOCK: opening a FIFO must not hang. */
async function openFile(path: string, label: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw explainError(error, label);
  }
}

export function decodeText(bytes: Buffer, label: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new Refusal(`${label} is not UTF-8 text; save it as UTF-8.`, { cause: error });
  }
}

function explainError(error: unknown, label: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof Refusal || code === undefined) return error;
  return new Refusal(`${label} cannot be read (${code}); check its permissions.`, { cause: error });
}

/** A JSON record of Ralph's; null if it is missing, or damaged by a power cut or an agent. */
export async function readRecord<T>(path: string): Promise<T | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return null;
  }
}

/** The names in a folder; none if it cannot be read or is no folder. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
