// The page as it was built: a few files, read once.
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { Refusal } from '../domain/refusal.ts';

export type PageFile = { type: string; body: Buffer };

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** Every address of a page is that of the same document, which finds out by itself what to show. */
const PAGES = /^\/(tasks|tasks\/\d+|graph|sessions|sessions\/[\w-]+|knowledge|runs|runs\/\d+)?$/;

export type PageFiles = {
  /** Null where there is none at this path. */
  at(path: string): PageFile | null;
  /** What every page is: at an address of none it says so. */
  document: PageFile;
};

export async function readPageFiles(folder: string): Promise<PageFiles> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const files = new Map<string, PageFile>();
  for (const name of names) {
    const type = TYPES[extname(name)];
    if (type !== undefined) files.set(`/${name}`, { type, body: await readFile(join(folder, name)) });
  }
  const document = files.get('/index.html') ?? missing(folder);
  return { at: (path) => (PAGES.test(path) ? document : (files.get(path) ?? null)), document };
}

function missing(folder: string): never {
  throw new Refusal(
    `The page is not in ${folder}; install ralph-mcp again, or run npm run build in its clone.`,
  );
}
