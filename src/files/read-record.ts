import { readFile } from 'node:fs/promises';

/** What Ralph wrote down; null where there is nothing, or only a part of it that a power cut or an agent left. */
export async function readRecord<T>(path: string): Promise<T | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return null;
  }
}
