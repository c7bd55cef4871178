import type { Backlog } from './backlog.ts';
import { freeName } from './free-name.ts';

/** The titles at the last import, by board and then by the source's id. */
export type KnownBoards = ReadonlyMap<string, ReadonlyMap<string, string>>;

/**
 * Finds the board that a file is a newer state of. The path does not tell: people move files, and replace one by another under
 * the same name. So the best board is one that agrees in id and title on at least half of the smaller of the two. Otherwise it
 * is the board with the name that the file gives itself, or a new one.
 */
export function matchBoard(
  { source, board, isOneBoard, tasks }: Pick<Backlog, 'source' | 'board' | 'isOneBoard' | 'tasks'>,
  known: KnownBoards,
  fallback: string,
): string {
  if (isOneBoard) return board ?? source;
  let best: string | null = null;
  let bestCount = 0;
  for (const [name, titles] of known) {
    const agreeing = tasks.filter(({ id, fields }) => titles.get(id) === fields.title).length;
    if (agreeing > bestCount && agreeing * 2 >= Math.min(tasks.length, titles.size)) {
      best = name;
      bestCount = agreeing;
    }
  }
  if (best !== null) return best;
  if (board !== null) return board;
  return freeName(fallback, known);
}
