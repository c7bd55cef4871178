import type { Backlog } from './backlog.ts';
import { freeName } from './free-name.ts';

/** By board, then by the source's id: the title as it was last read. */
export type KnownBoards = ReadonlyMap<string, ReadonlyMap<string, string>>;

/**
 * Which board a file is another state of. Where it lies says nothing: files are moved, and a new plan takes the place of the old one
 * under the same name. So it is the board that agrees with it, in id and title, on at least half of the smaller of the two; else
 * the one that bears the name the file gives itself; else a new one.
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
