// From which repositories a person imported issues into this queue. A reference in a file of a clone is no such import: Ralph writes
// to no repository that only a file names.

import type { Source } from '../../domain/exchange/backlog.ts';
import { isSatisfied } from '../../domain/tasks/status.ts';
import type { Reader } from '../../store/database.ts';
import { readMetadata, writeMetadata } from '../../store/metadata.ts';
import { referencesBySource } from '../../store/tasks/references.ts';
import type { Queue } from '../queue.ts';

const KEY = 'github boards';

export async function readImportedBoards(db: Reader): Promise<readonly string[]> {
  const text = (await readMetadata(db))[KEY];
  return text === undefined ? [] : (JSON.parse(text) as string[]);
}

export const importedBoards = (queue: Queue): Promise<readonly string[]> =>
  queue.store.read(readImportedBoards);

export const rememberBoard = (queue: Queue, board: string): Promise<void> =>
  queue.store.write(async (db) => {
    const boards = await readImportedBoards(db);
    if (!boards.includes(board)) await writeMetadata(db, KEY, JSON.stringify([...boards, board]));
  });

/** `isOpen`: whether the source had it open at the last import. */
export type KnownReference = { board: string; id: string; isOpen: boolean };

export const listKnownReferences = (queue: Queue, source: Source): Promise<KnownReference[]> =>
  queue.store.read(async (db) =>
    (await referencesBySource(db, source)).map(({ board, id, seen }) => ({
      board,
      id,
      isOpen: seen === null || !isSatisfied(seen.status),
    })),
  );
