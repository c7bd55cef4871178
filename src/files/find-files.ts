// Files, directories and globs to paths inside the project. Nothing outside of it is looked at, nothing is followed without end.
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { baseOf, isGlob, matcher, patternProblem } from './patterns.ts';

export type Found =
  /** `real`: where the path leads, which is what decides whether it may be shown. */
  | { kind: 'file'; path: string; real: string }
  | { kind: 'missing'; path: string }
  | { kind: 'withheld'; path: string; reason: string };

const MAX_PATTERN = 1_000;
const FILES_A_PATTERN = 200;
/** A walk gives up here: somebody named the root of something huge. */
const MAX_VISITED = 20_000;
const PASSED_OVER = new Set(['.git', 'node_modules']);

export async function findFiles(
  root: string,
  pattern: string,
  limit: number = FILES_A_PATTERN,
): Promise<Found[]> {
  if (pattern.length > MAX_PATTERN)
    return [{ kind: 'withheld', path: `${pattern.slice(0, 60)}...`, reason: 'no path is that long' }];
  const path = placeOf(root, pattern);
  if (isOutside(path)) return [{ kind: 'withheld', path: pattern, reason: 'outside the project' }];
  if (isGlob(path)) return globbed(root, path, limit);
  const place = await inspect(root, path);
  if (place.kind === 'folder') return walkFrom(root, path, () => true, limit);
  return [place];
}

/** Whether a path may be among what is found by a pattern, without a look at the disk. */
export function mayName(root: string, pattern: string, path: string): boolean {
  if (path === pattern) return true;
  const place = placeOf(root, pattern);
  if (isGlob(place)) return matcher(place)(path);
  return place === '' || path === place || path.startsWith(`${place}/`);
}

async function globbed(root: string, pattern: string, limit: number): Promise<Found[]> {
  const problem = patternProblem(pattern);
  if (problem !== null) return [{ kind: 'withheld', path: pattern, reason: problem }];
  const base = baseOf(pattern);
  const found = await walkFrom(root, base === '' ? '.' : base, matcher(pattern), limit);
  return found.length === 0 ? [{ kind: 'missing', path: pattern }] : found;
}

async function walkFrom(
  root: string,
  start: string,
  matches: (path: string) => boolean,
  limit: number,
): Promise<Found[]> {
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
      // Links are not followed: what they point to can be named by itself.
      if (entry.isDirectory() && !PASSED_OVER.has(entry.name)) folders.push(path);
      else if (entry.isFile() && matches(path)) paths.push(path);
    }
  }
  // The folder itself may be a link; what lies in it is judged by where it really lies.
  const real = (path: string): string =>
    start === '.' ? path : join(top.real, relative(start, path)).split(sep).join('/');
  const shown = paths.slice(0, limit).map((path): Found => ({ kind: 'file', path, real: real(path) }));
  const rest = paths.length - shown.length;
  return rest === 0 ? shown : [...shown, { kind: 'withheld', path: start, reason: `${rest} more files` }];
}

export async function inspect(root: string, path: string): Promise<Found | { kind: 'folder'; real: string }> {
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

const placeOf = (root: string, pattern: string): string =>
  relative(root, resolve(root, pattern)).split(sep).join('/');

const isOutside = (path: string): boolean =>
  path === '..' || path.startsWith('../') || path.startsWith('/') || /^[a-z]:/i.test(path);
