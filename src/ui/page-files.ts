// The built page: a few files, which the server reads once.
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { findPage } from '../domain/dashboard-pages.ts';
import { Refusal } from '../domain/refusal.ts';

type PageFile = { type: string; body: Buffer };

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

export type PageFiles = {
  /** Null where there is no page and no file at this path. */
  at(path: string): PageFile | null;
  /** The same for every page: its script reads the address, and says so where no page has it. */
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
  return { at: (path) => (findPage(path) !== null ? document : (files.get(path) ?? null)), document };
}

function missing(folder: string): never {
  throw new Refusal(
    `The page is not in ${folder}; install ralph-mcp again, or run npm run build in its clone.`,
  );
}
