// Resolves files, directories and globs to paths inside the project. It reads nothing outside, and every walk is bounded.
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { globBase, isGlob, matcher, patternProblem } from './patterns.ts';

export type FoundPath =
  /** `real`: the target of the path, which decides whether it may be shown. */
  | { kind: 'file'; path: string; real: string }
  | { kind: 'missing'; path: string }
  | { kind: 'withheld'; path: string; reason: string };

const MAX_PATTERN = 1_000;
const MAX_FILES_PER_PATTERN = 200;
/** A walk stops here: the pattern may name the root of a huge tree. */
const MAX_VISITED = 20_000;
const PASSED_OVER = new Set(['.git', 'node_modules']);

export async function findFiles(
  root: string,
  pattern: string,
  limit: number = MAX_FILES_PER_PATTERN,
): Promise<FoundPath[]> {
  if (pattern.length > MAX_PATTERN)
    return [{ kind: 'withheld', path: `${pattern.slice(0, 60)}...`, reason: 'no path is that long' }];
  const path = toProjectPath(root, pattern);
  if (isOutside(path)) return [{ kind: 'withheld', path: pattern, reason: 'outside the project' }];
  if (isGlob(path)) return findByGlob(root, path, limit);
  const place = await inspect(root, path);
  if (place.kind === 'folder') return walkFrom(root, path, () => true, limit);
  return [place];
}

/** Whether a pattern may find a path, decided without the disk. */
export function mayName(root: string, pattern: string, path: string): boolean {
  if (path === pattern) return true;
  const place = toProjectPath(root, pattern);
  if (isGlob(place)) return matcher(place)(path);
  return place === '' || path === place || path.startsWith(`${place}/`);
}

async function findByGlob(root: string, pattern: string, limit: number): Promise<FoundPath[]> {
  const problem = patternProblem(pattern);
  if (problem !== null) return [{ kind: 'withheld', path: pattern, reason: problem }];
  const base = globBase(pattern);
  const found = await walkFrom(root, base === '' ? '.' : base, matcher(pattern), limit);
  return found.length === 0 ? [{ kind: 'missing', path: pattern }] : found;
}

async function walkFrom(
  root: string,
  start: string,
  matches: (path: string) => boolean,
  limit: number,
): Promise<FoundPath[]> {
  const top = await inspect(root, start);
  if (top.kind !== 'folder')
    return top.kind === 'file' && matches(start) ? [top] : top.kind === 'file' ? [] : [top];
  const paths: string[] = [];
  let visited = 0;
  const folders = [start === '.' ? '' : start];
  for (
    let folder = folders.shift();
    folder !== undefined && visited < MAX_VISITED;
    folder = folders.shift()
  ) {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      visited += 1;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      // Do not follow links: a pattern can name their target itself.
      if (entry.isDirectory() && !PASSED_OVER.has(entry.name)) folders.push(path);
      else if (entry.isFile() && matches(path)) paths.push(path);
    }
  }
  // The folder itself may be a link; its files are judged by their real path.
  const real = (path: string): string =>
    start === '.' ? path : join(top.real, relative(start, path)).split(sep).join('/');
  const shown = paths.slice(0, limit).map((path): FoundPath => ({ kind: 'file', path, real: real(path) }));
  const rest = paths.length - shown.length;
  return rest === 0 ? shown : [...shown, { kind: 'withheld', path: start, reason: `${rest} more files` }];
}

export async function inspect(
  root: string,
  path: string,
): Promise<FoundPath | { kind: 'folder'; real: string }> {
  const full = join(root, path);
  const real = await realpath(full).catch(() => null);
  if (real === null) return { kind: 'missing', path };
  const inside = relative(await realpath(root), real)
    .split(sep)
    .join('/');
  if (isOutside(inside)) return { kind: 'withheld', path, reason: 'outside the project' };
  if (inside.split('/').includes('.git')) return { kind: 'withheld', path, reason: 'belongs to git' };
  const found = await stat(real).catch(() => null);
  if (found === null) return { kind: 'missing', path };
  if (found.isDirectory()) return { kind: 'folder', real: inside };
  return found.isFile()
    ? { kind: 'file', path, real: inside }
    : { kind: 'withheld', path, reason: 'not a regular file' };
}

const toProjectPath = (root: string, pattern: string): string =>
  relative(root, resolve(root, pattern)).split(sep).join('/');

const isOutside = (path: string): boolean =>
  path === '..' || path.startsWith('../') || path.startsWith('/') || /^[a-z]:/i.test(path);
