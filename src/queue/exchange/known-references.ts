import type { Source } from '../../domain/exchange/backlog.ts';
import { isSatisfied } from '../../domain/tasks/status.ts';
import { referencesBySource } from '../../store/tasks/references.ts';
import type { Queue } from '../queue.ts';

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
