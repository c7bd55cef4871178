// Reads a folder that a person names: a bounded walk that follows no link and leaves no project.
import { readdir } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { Refusal } from '../../../../domain/refusal.ts';
import { requireNoWayOut } from '../../../../files/own-file.ts';
import { MAX_BYTES, readText } from '../../../../files/read-text.ts';

export type SourceFolder = {
  name: string;
  /** Within the project; null if the folder lies outside. */
  place: string | null;
  /** Texts by their path in the folder, sorted. */
  texts: ReadonlyMap<string, string>;
  /** All files, also those that are not read. */
  paths: readonly string[];
};

const MAX_FILES = 10_000;
const MAX_DEPTH = 4;
/** Where the known tools keep their tasks; other files are only named. */
const READ = /^(?:[^/]+\.(?:md|json)|(?:tasks|completed|drafts)\/[^/]+\.md|(?:.*\/)?(?:tasks|epic|\d+)\.md)$/;
const IGNORED = new Set(['.git', 'node_modules']);

/** `root`: no link in the folder may leave the project. `label`: the folder's name in a refusal. */
export async function readSourceFolder(root: string, folder: string, label: string): Promise<SourceFolder> {
  const paths: string[] = [];
  await walk(root, folder, '', 0, paths);
  if (paths.length > MAX_FILES)
    throw new Refusal(`${label} holds more than ${MAX_FILES} files; name one of them, or a smaller folder.`);
  const texts = new Map<string, string>();
  let size = 0;
  for (const path of paths.sort()) {
    if (!READ.test(path)) continue;
    const text = (await readText(join(folder, path), `${label}/${path}`)) ?? '';
    size += text.length;
    if (size > MAX_BYTES) throw new Refusal(`${label} holds more than 32 MB; import its parts.`);
    if (text.includes('\0'))
      throw new Refusal(`${label}/${path} holds NUL bytes, so it is no text; save it as UTF-8.`);
    texts.set(path, text);
  }
  const inside = relative(root, resolve(folder)).split(sep).join('/');
  return {
    name: basename(resolve(folder)),
    place: inside === '' || inside.startsWith('..') ? null : inside,
    texts,
    paths,
  };
}

async function walk(
  root: string,
  folder: string,
  below: string,
  depth: number,
  paths: string[],
): Promise<void> {
  requireNoWayOut(root, join(folder, below));
  const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    // No link is followed; one that leaves the project is a trap, and is named.
    if (entry.isSymbolicLink()) requireNoWayOut(root, join(folder, path));
    if (entry.isFile()) paths.push(path);
    else if (entry.isDirectory() && depth < MAX_DEPTH && !IGNORED.has(entry.name))
      await walk(root, folder, path, depth + 1, paths);
    if (paths.length > MAX_FILES) return;
  }
}

/** The part of a folder below one of its folders. */
export function folderWithin({ place, texts, paths }: SourceFolder, path: string): SourceFolder {
  const inner = (one: string): string[] => (one.startsWith(`${path}/`) ? [one.slice(path.length + 1)] : []);
  return {
    name: basename(path),
    place: place === null ? null : `${place}/${path}`,
    texts: new Map([...texts].flatMap(([one, text]) => inner(one).map((rest) => [rest, text] as const))),
    paths: paths.flatMap(inner),
  };
}

/** The folders that hold a file of this name directly; '' is the folder itself. */
export const foldersWith = ({ texts }: SourceFolder, name: string): string[] =>
  [...texts.keys()].flatMap((path) =>
    path === name ? [''] : path.endsWith(`/${name}`) ? [path.slice(0, -name.length - 1)] : [],
  );
