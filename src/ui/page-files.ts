// The page as it was built: three files, read once.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../domain/refusal.ts';

export type PageFile = { type: string; body: Buffer };

const FILES: Readonly<Record<string, { name: string; type: string }>> = {
  '/': { name: 'index.html', type: 'text/html; charset=utf-8' },
  '/app.js': { name: 'app.js', type: 'text/javascript; charset=utf-8' },
  '/app.css': { name: 'app.css', type: 'text/css; charset=utf-8' },
};

/** Every address of a page is that of the same document, which finds out by itself what to show. */
const PAGES = /^\/(tasks|tasks\/\d+|graph|sessions|sessions\/[\w-]+|knowledge|runs|runs\/\d+)?$/;

export async function readPageFiles(folder: string): Promise<(path: string) => PageFile | null> {
  const files = new Map<string, PageFile>();
  for (const [path, { name, type }] of Object.entries(FILES))
    files.set(path, { type, body: await readFile(join(folder, name)).catch(() => missing(folder)) });
  return (path) => files.get(PAGES.test(path) ? '/' : path) ?? null;
}

function missing(folder: string): never {
  throw new Refusal(
    `The page is not in ${folder}; install ralph-mcp again, or run npm run build in its clone.`,
  );
}
