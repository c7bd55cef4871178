import { openIfThere } from './read-lines.ts';

/** The last so many bytes of a file, from the beginning of a line if they do not reach its first; empty where there is none. */
export async function readEnd(path: string, bytes: number): Promise<string> {
  const file = await openIfThere(path);
  if (file === null) return '';
  try {
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.min(size, bytes));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, size - buffer.length);
    const text = buffer.subarray(0, bytesRead).toString('utf8');
    return size <= bytes ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    await file.close();
  }
}
