// Files of the project that somebody wants to hear about. chokidar is loaded with this file, and this file late.
import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import picomatch from 'picomatch';

export type FileWatch = {
  /** Fulfilled when every later change to a file of these patterns will be heard of. */
  add(patterns: readonly string[]): Promise<void>;
  close(): Promise<void>;
};

const MAX_PLACES = 200;
const PASSED_OVER = /(^|\/)(\.git|node_modules)(\/|$)/;

export function watchFiles(
  root: string,
  onChange: (path: string) => void,
  onError: (error: unknown) => void,
): FileWatch {
  const places = new Map<string, FSWatcher>();
  const inside = (path: string): string => relative(root, path).split(sep).join('/');

  async function open(place: string, depth: number | undefined): Promise<void> {
    const watcher = watch(join(root, place), {
      ignoreInitial: true,
      followSymlinks: false,
      ...(depth !== undefined && { depth }),
      ignored: (path) => PASSED_OVER.test(inside(path)),
    });
    places.set(`${place} ${depth}`, watcher);
    watcher.on('error', onError);
    watcher.on('all', (_, path) => onChange(inside(path)));
    // A place that cannot be watched is not waited for.
    await new Promise<void>((ready) => watcher.once('ready', ready).once('error', () => ready()));
  }

  return {
    add: async (patterns) => {
      for (const pattern of patterns) {
        const { place, depth } = placeOf(root, pattern);
        if (places.has(`${place} ${depth}`) || places.size >= MAX_PLACES || isOutside(place)) continue;
        await open(place, depth);
      }
    },
    close: async () => {
      await Promise.all([...places.values()].map((watcher) => watcher.close()));
    },
  };
}

/** A file is watched by its folder: editors write a new file and rename it into place. */
function placeOf(root: string, pattern: string): { place: string; depth: number | undefined } {
  const { isGlob, base } = picomatch.scan(pattern);
  const isFile = !isGlob && /\.[^/]+$/.test(pattern) && !pattern.startsWith('.ralph');
  let place = isFile ? dirname(pattern) : isGlob ? base || '.' : pattern;
  // What is not there yet is waited for where it will appear.
  while (place !== '.' && !existsSync(join(root, place))) place = dirname(place);
  return { place, depth: isFile && place === dirname(pattern) ? 0 : undefined };
}

const isOutside = (place: string): boolean => place.startsWith('..') || place.startsWith('/');

/** Whether the path is the file, lies in the folder, or matches the glob. */
export function matchesPattern(pattern: string, path: string): boolean {
  if (picomatch.scan(pattern).isGlob) return picomatch(pattern, { dot: true })(path);
  const plain = pattern.replace(/^\.\//, '').replace(/\/+$/, '');
  return path === plain || path.startsWith(`${plain}/`);
}
