import type { Definitions } from '../../domain/definition.ts';
import { readMetadata, writeMetadata } from '../../store/metadata.ts';
import { isAddress } from '../../store/postgres/address.ts';
import { maskDefinitions } from '../mask-input.ts';
import type { Queue } from '../queue.ts';
import { applyDefinitionsWithin } from './apply-definitions.ts';

const COMMIT = 'definitions_commit';

/** Whether machines may share the queue: then none of them applies the files of its own checkout. */
export const isShared = ({ store }: Queue): boolean => isAddress(store.path);

/** The commit whose definitions were applied last; null if none were. */
export const appliedCommit = async ({ store }: Queue): Promise<string | null> =>
  (await store.read(readMetadata))[COMMIT] ?? null;

type CommittedDefinitions = {
  /** Null if the commit has none. */
  definitions: Definitions | null;
  /** What the caller compared the commit with: if another machine was faster, nothing is applied. */
  before: string | null;
  commit: string;
};

/** Returns the commit whose definitions hold now. */
export function applyCommitted(
  queue: Queue,
  { definitions, before, commit }: CommittedDefinitions,
): Promise<string | null> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const now = (await readMetadata(db))[COMMIT] ?? null;
    if (now !== before) return now;
    if (definitions !== null)
      await applyDefinitionsWithin(db, maskDefinitions(definitions, queue.mask), 'sync', at);
    await writeMetadata(db, COMMIT, commit);
    return commit;
  });
}
