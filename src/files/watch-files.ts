// Files of the project that somebody wants to hear about. chokidar is loaded with this file, and this file late.
import { existsSync, type FSWatcher as FolderWatcher, watch as watchFolder } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { baseOf, isGlob, matcher } from './patterns.ts';

export type FileWatch = {
  /** Fulfilled when every later change to a file of these patterns will be heard of. */
  add(patterns: readonly string[]): Promise<void>;
  /** What is needed for none of these patterns is not watched any longer. */
  keepOnly(patterns: readonly string[]): Promise<void>;
  close(): Promise<void>;
};

const MAX_PLACES = 1_000;
const PASSED_OVER = /(^|\/)(\.git|node_modules)(\/|$)/;

export function watchFiles(
  root: string,
  /** `isNew` is true where something came or went, and false where it only changed. */
  onChange: (path: string, isNew: boolean, isFolder: boolean) => void,
  onError: (error: unknown) => void,
): FileWatch {
  const places = new Map<string, { watcher: FSWatcher; ready: Promise<void> }>();
  const inside = (path: string): string => relative(root, path).split(sep).join('/');

  function open({ place, depth }: Place): { watcher: FSWatcher; ready: Promise<void> } {
    const watcher = watch(join(root, place), {
      ignoreInitial: true,
      followSymlinks: false,
      ...(depth !== undefined && { depth }),
      ignored: (path) => PASSED_OVER.test(inside(path)),
    });
    watcher.on('error', onError);
    watcher.on('all', (event, path) => onChange(inside(path), event !== 'change', event.endsWith('Dir')));
    // A place that cannot be watched is not waited for.
    const ready = new Promise<void>((over) => watcher.once('ready', over).once('error', () => over()));
    return { watcher, ready };
  }

  return {
    add: async (patterns) => {
      for (const pattern of patterns) {
        const place = placeOf(root, pattern);
        if (isOutside(place.place)) continue;
        const known = places.get(keyOf(place));
        if (known === undefined && places.size >= MAX_PLACES) continue;
        const opened = known ?? open(place);
        places.set(keyOf(place), opened);
        await opened.ready;
      }
    },
    keepOnly: async (patterns) => {
      const wanted = new Set(patterns.map((pattern) => keyOf(placeOf(root, pattern))));
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

type Place = { place: string; depth: number | undefined };

const keyOf = ({ place, depth }: Place): string => `${place}\n${depth}`;

/** A file is watched by its folder: editors write a new file and rename it into place. */
function placeOf(root: string, pattern: string): Place {
  const glob = isGlob(pattern);
  const isFile = !glob && /\.[^/]+$/.test(pattern) && !pattern.startsWith('.ralph');
  let place = isFile ? dirname(pattern) : glob ? baseOf(pattern) || '.' : pattern;
  // What is not there yet is waited for where it will appear.
  while (place !== '.' && !existsSync(join(root, place))) place = dirname(place);
  return { place, depth: isFile && place === dirname(pattern) ? 0 : undefined };
}

const isOutside = (place: string): boolean => place.startsWith('..') || place.startsWith('/');

/** Whether the path is the file, lies in the folder, or matches the glob. */
export function matchesPattern(pattern: string, path: string, isFolder = false): boolean {
  // What came with a new folder may be there before anybody watches it, so the folder speaks for its files.
  if (isFolder && isNear(isGlob(pattern) ? baseOf(pattern) : pattern, path)) return true;
  if (isGlob(pattern)) return matcher(pattern)(path);
  const plain = pattern.replace(/^\.\//, '').replace(/\/+$/, '');
  return path === plain || path.startsWith(`${plain}/`);
}

const isNear = (base: string, folder: string): boolean =>
  base === '' || base === folder || base.startsWith(`${folder}/`) || folder.startsWith(`${base}/`);

export type FolderChanges = {
  /** Fulfilled at the next change, or at once if there was one since it was last asked; at the latest after this time. */
  next(atMostMs: number): Promise<void>;
  close(): void;
};

/** The folder itself and what lies directly in it. It may not be there yet. */
export function folderChanges(folder: string): FolderChanges {
  let watcher: FolderWatcher | null = null;
  let isChanged = false;
  let wake = (): void => {};

  function begin(): void {
    try {
      watcher = watchFolder(folder, () => {
        isChanged = true;
        wake();
      });
      // A folder that cannot be watched any longer is looked at now and then, as one that never could.
      watcher.on('error', () => watcher?.close());
    } catch {
      watcher = null;
    }
  }

  begin();
  return {
    next: async (atMostMs) => {
      if (watcher === null) begin();
      if (!isChanged)
        await new Promise<void>((over) => {
          const late = setTimeout(over, atMostMs);
          wake = () => {
            clearTimeout(late);
            over();
          };
        });
      isChanged = false;
    },
    close: () => {
      watcher?.close();
      wake();
    },
  };
}
