import type { TaskDefinition } from '../../domain/definition.ts';
import type { Reference } from '../../domain/exchange/backlog.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { Writer } from '../../store/database.ts';
import { allReferences, insertReferences, type StoredReference } from '../../store/tasks/references.ts';

/** What definition files say of where tasks came from. Answers with the tasks that got one they did not have. */
export async function addReferences(
  db: Writer,
  matched: readonly { id: number; definition: TaskDefinition }[],
): Promise<Set<number>> {
  const given = matched.flatMap(({ id, definition }) =>
    (definition.references ?? []).map((reference) => ({ ...reference, task_id: id, at: definition.at })),
  );
  if (given.length === 0) return new Set();
  const keyOf = ({ source, board, id }: Reference): string => JSON.stringify([source, board, id]);
  const owners = new Map((await allReferences(db)).map((one) => [keyOf(one), one.task_id]));
  const fresh: StoredReference[] = [];
  for (const { at, ...reference } of given) {
    const owner = owners.get(keyOf(reference));
    if (owner !== undefined && owner !== reference.task_id)
      throw new Refusal(
        `${at}: ${reference.source} ${reference.id} is where task ${owner} came from already.`,
      );
    if (owner === undefined) fresh.push({ ...reference, seen: null });
    owners.set(keyOf(reference), reference.task_id);
  }
  await insertReferences(db, fresh);
  return new Set(fresh.map(({ task_id }) => task_id));
}
