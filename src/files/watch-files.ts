// Watches files of the project. This file loads chokidar, so callers import it late.
import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { globBase, isGlob, matcher } from './patterns.ts';

export type FileWatch = {
  /** Resolves when Ralph will notice every later change to a file of these patterns. */
  add(patterns: readonly string[]): Promise<void>;
  /** Stops watching what none of these patterns needs. */
  keepOnly(patterns: readonly string[]): Promise<void>;
  close(): Promise<void>;
};

const MAX_PLACES = 1_000;
const PASSED_OVER = /(^|\/)(\.git|node_modules)(\/|$)/;

export function watchFiles(
  root: string,
  /** `isNew`: the path appeared or vanished; false if only its content changed. */
  onChange: (path: string, isNew: boolean, isFolder: boolean) => void,
  onError: (error: unknown) => void,
): FileWatch {
  const places = new Map<string, { watcher: FSWatcher; ready: Promise<void> }>();
  const inside = (path: string): string => relative(root, path).split(sep).join('/');

  function open({ place, depth }: WatchPlace): { watcher: FSWatcher; ready: Promise<void> } {
    const watcher = watch(join(root, place), {
      ignoreInitial: true,
      followSymlinks: false,
      ...(depth !== undefined && { depth }),
      ignored: (path) => PASSED_OVER.test(inside(path)),
    });
    watcher.on('error', onError);
    watcher.on('all', (event, path) => onChange(inside(path), event !== 'change', event.endsWith('Dir')));
    // Do not wait for a place that cannot be watched.
    const ready = new Promise<void>((over) => watcher.once('ready', over).once('error', () => over()));
    return { watcher, ready };
  }

  return {
    add: async (patterns) => {
      for (const pattern of patterns) {
        const place = findWatchPlace(root, pattern);
        if (isOutside(place.place)) continue;
        const watched = places.get(placeKey(place));
        if (watched === undefined && places.size >= MAX_PLACES) continue;
        const opened = watched ?? open(place);
        places.set(placeKey(place), opened);
        await opened.ready;
      }
    },
    keepOnly: async (patterns) => {
      const wanted = new Set(patterns.map((pattern) => placeKey(findWatchPlace(root, pattern))));
      for (const [key, { watcher }] of places) {
        if (wanted.has(key)) continue;
        places.delete(key);
        await watcher.close();
      }
    },
    close: async () => {
      await Promise.all([...places.values()].map(({ watcher }) => watcher.close()));
    },
  };
}

type WatchPlace = { place: string; depth: number | undefined };

const placeKey = ({ place, depth }: WatchPlace): string => `${place}\n${depth}`;

/** Watches the folder of a file: editors write a new file and rename it into place. */
function findWatchPlace(root: string, pattern: string): WatchPlace {
  const glob = isGlob(pattern);
  const isFile = !glob && /\.[^/]+$/.test(pattern) && !pattern.startsWith('.ralph');
  let place = isFile ? dirname(pattern) : glob ? globBase(pattern) || '.' : pattern;
  // Watch the nearest existing parent of a path that does not exist yet.
  while (place !== '.' && !existsSync(join(root, place))) place = dirname(place);
  return { place, depth: isFile && place === dirname(pattern) ? 0 : undefined };
}

const isOutside = (place: string): boolean => place.startsWith('..') || place.startsWith('/');

/** Whether the path is the file, lies in the folder, or matches the glob. */
export function matchesPattern(pattern: string, path: string, isFolder = false): boolean {
  // Files of a new folder may exist before it is watched, so a change of the folder counts for its files.
  if (isFolder && isNear(isGlob(pattern) ? globBase(pattern) : pattern, path)) return true;
  if (isGlob(pattern)) return matcher(pattern)(path);
  const plain = pattern.replace(/^\.\//, '').replace(/\/+$/, '');
  return path === plain || path.startsWith(`${plain}/`);
}

const isNear = (base: string, folder: string): boolean =>
  base === '' || base === folder || base.startsWith(`${folder}/`) || folder.startsWith(`${base}/`);
