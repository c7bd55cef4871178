import { type FSWatcher, watch } from 'node:fs';

export type FolderChanges = {
  /** Fulfilled at the next change, or at once if there was one since it was last asked; at the latest after this time. */
  next(atMostMs: number): Promise<void>;
  close(): void;
};

/** The folder itself and what lies directly in it. It may not be there yet. */
export function folderChanges(folder: string): FolderChanges {
  let watcher: FSWatcher | null = null;
  let isChanged = false;
  let wake = (): void => {};

  function begin(): void {
    try {
      watcher = watch(folder, () => {
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
