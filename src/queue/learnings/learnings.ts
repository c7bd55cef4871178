// What people do with learnings: read, edit, archive, restore, remove. Each change writes an event with the earlier state.
import { compareLearnings } from '../../domain/learnings/compare-learnings.ts';
import { type Learning, requireLearnable, summarize } from '../../domain/learnings/learning.ts';
import { Refusal } from '../../domain/refusal.ts';
import { maskValue } from '../../domain/secrets/mask-secrets.ts';
import { visible } from '../../domain/text/text.ts';
import type { Reader, Writer } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { insertGivenLearnings } from '../../store/learnings/given-learnings.ts';
import {
  activeContradictions,
  allContradictions,
  countArchived,
  countLearnings,
  countLearningsOfRun,
  type LearningFilter,
  listLearnings as list,
} from '../../store/learnings/learning-lists.ts';
import {
  archiveLearning as archive,
  deleteLearning,
  findLearning,
  findLearnings,
  findSameLearning,
  restoreLearning as restore,
  updateLearning,
} from '../../store/learnings/learnings.ts';
import type { Queue } from '../queue.ts';
import { requireFeature, requireUnchanged } from '../require.ts';
import { proveLearning } from './learn.ts';

export type { Learning, LearningFilter };

export const listLearnings = (
  queue: Queue,
  filter: LearningFilter,
  limit: number,
): Promise<{ learnings: Learning[]; archived: number }> =>
  queue.store.read(async (db) => {
    if (filter.feature !== undefined && filter.feature !== null) await requireFeature(db, filter.feature);
    return { learnings: await list(db, filter, limit), archived: await countArchived(db) };
  });

/** Learnings of one feature, or of none for null: active or archived ones, and the count of each. */
export const featureLearnings = (
  queue: Queue,
  feature: string | null,
  archived: boolean,
  limit: number,
): Promise<{ learnings: Learning[]; active: number; archived: number }> =>
  queue.store.read(async (db) => {
    if (feature !== null) await requireFeature(db, feature);
    return {
      learnings: await list(db, { feature, archived }, limit),
      active: (await countLearnings(db)).get(feature) ?? 0,
      archived: (await countLearnings(db, { archived: true })).get(feature) ?? 0,
    };
  });

/** Removed ones are left out. */
export const learningsById = (queue: Queue, ids: readonly number[]): Promise<Learning[]> =>
  queue.store.read((db) => findLearnings(db, ids));

/** With the older and the newer learning that it may contradict. */
export type LearningDetails = { learning: Learning; older: Learning | null; newer: Learning | null };

export const showLearning = (queue: Queue, id: number): Promise<LearningDetails> =>
  queue.store.read(async (db) => {
    const learning = await requireLearning(db, id);
    const { conflicts_with } = learning;
    return {
      learning,
      older: conflicts_with === null ? null : await findLearning(db, conflicts_with),
      newer: (await activeContradictions(db, [id])).get(id) ?? null,
    };
  });

type LearningEdit = Partial<Pick<Learning, 'body' | 'category' | 'reason'>>;

/** `seen`: the values that the editor saw in the changed fields. */
export function editLearning(
  queue: Queue,
  id: number,
  input: LearningEdit,
  seen: LearningEdit = {},
): Promise<Learning> {
  const at = queue.now();
  requireLearnable(input.body ?? '-', input.reason ?? null);
  const edit = maskValue(input, queue.mask);
  return queue.store.write(async (db) => {
    const before = await requireLearning(db, id);
    const body = visible((edit.body ?? before.body).trim());
    const reason = edit.reason === undefined ? before.reason : edit.reason && visible(edit.reason.trim());
    const category = edit.category ?? before.category;
    requireLearnable(body, reason);
    requireUnchanged(`of learning ${id}`, {
      current: before,
      wanted: { ...before, body, reason, category },
      seen,
    });
    const same = await findSameLearning(db, { ...before, body });
    if (same !== null && same.id !== id) throw new Refusal(`Learning ${same.id} already says this.`);
    const older = before.conflicts_with === null ? null : await findLearning(db, before.conflicts_with);
    const patch = {
      category,
      body,
      reason,
      summary: summarize(body),
      conflicts_with: older !== null && contradicts(older, body) ? older.id : null,
      // A person wrote it like this.
      proven: before.proven ?? at,
      author: 'person' as const,
    };
    await updateLearning(db, before, patch);
    for (const newer of await allContradictions(db, id))
      if (!contradicts(newer, body)) {
        await updateLearning(db, newer, { conflicts_with: null });
        await recordEvent(db, 'learning.edited', newer, at);
      }
    await recordEvent(db, 'learning.edited', before, at);
    return { ...before, ...patch };
  });
}

const contradicts = (learning: Learning, body: string): boolean =>
  compareLearnings(learning.body, body) === 'conflict';

export const archiveLearning = (queue: Queue, id: number): Promise<Learning> =>
  change(queue, id, 'learning.archived', async (db, known, at) => {
    if (known.archived !== null && known.archived_by === 'person')
      throw new Refusal(`Learning ${id} is in the archive already.`);
    await archive(db, known, 'person', at);
  });

export const restoreLearning = (queue: Queue, id: number): Promise<Learning> =>
  change(queue, id, 'learning.restored', async (db, known, at) => {
    if (known.archived === null) throw new Refusal(`Learning ${id} is not in the archive.`);
    await restore(db, known);
    if (known.proven === null) await proveLearning(db, { ...known, archived: null }, at);
  });

/** A person vouches for a learning that no gate has proven; other tasks get it from now on. */
export function approveLearning(queue: Queue, id: number): Promise<Learning> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const learning = await requireLearning(db, id);
    if (learning.proven !== null)
      throw new Refusal(`Learning ${id} is approved already; every session may get it.`);
    await proveLearning(db, learning, at);
    return { ...learning, proven: at };
  });
}

export const removeLearning = (queue: Queue, id: number): Promise<Learning> =>
  change(queue, id, 'learning.removed', (db) => deleteLearning(db, id));

type LearningChange = 'learning.edited' | 'learning.archived' | 'learning.restored' | 'learning.removed';

function change(
  queue: Queue,
  id: number,
  kind: LearningChange,
  apply: (db: Writer, learning: Learning, at: number) => Promise<void>,
): Promise<Learning> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const learning = await requireLearning(db, id);
    await apply(db, learning, at);
    await recordEvent(db, kind, learning, at);
    return learning;
  });
}

const recordEvent = (db: Writer, kind: LearningChange, changed: Learning, at: number): Promise<void> =>
  appendEvents(db, [{ at, kind, data: { learning: changed.id, before: changed } }]);

async function requireLearning(db: Reader, id: number): Promise<Learning> {
  const learning = await findLearning(db, id);
  if (learning === null)
    throw new Refusal(`There is no learning ${id}; ralph learn list shows all learnings.`);
  return learning;
}

/** Records which learnings a session was given, so that Ralph can measure which of them help. */
export const recordGivenLearnings = (
  queue: Queue,
  session_id: string,
  ids: readonly number[],
): Promise<void> =>
  queue.store.write(async (db) => {
    // A person may have removed one since the prompt was written.
    const existing = (await findLearnings(db, ids)).map(({ id }) => id);
    await insertGivenLearnings(db, session_id, existing);
  });

export const countRunLearnings = (queue: Queue, run_id: number): Promise<number> =>
  queue.store.read((db) => countLearningsOfRun(db, run_id));
