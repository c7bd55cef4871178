// Adds a learning: it is new, confirms a known one, or contradicts one. Nothing is ever overwritten.
import { compareLearnings } from '../../domain/learnings/compare-learnings.ts';
import { type Learning, MAX_ACTIVE, requireLearnable, summarize } from '../../domain/learnings/learning.ts';
import { searchWords } from '../../domain/learnings/search-words.ts';
import { maskValue } from '../../domain/secrets/mask-secrets.ts';
import { visible } from '../../domain/text/text.ts';
import type { Writer } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { matchLearnings } from '../../store/learnings/learning-index.ts';
import { leastValuableLearnings, newestLearningIds } from '../../store/learnings/learning-lists.ts';
import {
  archiveLearning,
  confirmLearning,
  findLearnings,
  findSameLearning,
  insertLearning,
  restoreLearning,
  unprovenOfTask,
  updateLearning,
} from '../../store/learnings/learnings.ts';
import type { Queue } from '../queue.ts';
import { requireFeature } from '../require.ts';

type LearningInput = Pick<
  Learning,
  | 'feature'
  | 'scope'
  | 'category'
  | 'body'
  | 'reason'
  | 'discipline'
  | 'task_id'
  | 'session_id'
  | 'proven'
  | 'author'
>;

export type LearnResult =
  | { as: 'new'; id: number; conflicts_with: number | null }
  /** Known already, in the same or nearly the same words. */
  | { as: 'confirmation'; id: number };

/** For a person, or an agent that holds no task: a person is at work with it, and so it needs no gate. */
export function learn(
  queue: Queue,
  learning: Omit<LearningInput, 'task_id' | 'session_id' | 'proven'>,
): Promise<LearnResult> {
  const at = queue.now();
  requireLearnable(learning.body, learning.reason);
  return queue.store.write(async (db) => {
    if (learning.feature !== null) await requireFeature(db, learning.feature);
    const masked = maskValue(learning, queue.mask);
    return keepLearning(db, { ...masked, task_id: null, session_id: null, proven: at }, at);
  });
}

/** The scope of a session's learning: without a feature, it holds for the whole project or for the task alone. */
export function resolveScope(
  scope: Learning['scope'],
  feature: string | null,
): Pick<Learning, 'feature' | 'scope'> {
  const isOfFeature = scope !== 'project' && feature !== null;
  return {
    feature: isOfFeature ? feature : null,
    scope: isOfFeature || scope === 'task' ? scope : 'project',
  };
}

/** How many of the best matches to compare: a learning with the same meaning is among them. */
const MAX_COMPARED = 20;
const MAX_WORDS = 24;
/** The newest learnings stay active, confirmed or not. */
const SPARED_COUNT = MAX_ACTIVE / 4;

/** The caller masks `input`, because its words are indexed and compared before it is stored. */
export async function keepLearning(db: Writer, input: LearningInput, at: number): Promise<LearnResult> {
  const learning = { ...input, body: visible(input.body.trim()), reason: textOrNull(input.reason) };
  const same = await findSameLearning(db, learning);
  if (same !== null) return confirm(db, same, learning, at);
  const related = await findRelated(db, learning);
  // What is proven vouches for its own words only, not for similar ones that wait for proof.
  const near = related.find(
    ({ body, proven }) =>
      (proven !== null || learning.proven === null) && compareLearnings(body, learning.body) === 'repeat',
  );
  if (near !== undefined) return confirm(db, near, learning, at);
  const conflict = related.find(
    ({ body, archived }) => archived === null && compareLearnings(body, learning.body) === 'conflict',
  );
  const conflicts_with = conflict?.id ?? null;
  const id = await insertLearning(db, {
    ...learning,
    summary: summarize(learning.body),
    created: at,
    confirmations: 0,
    conflicts_with,
    archived: null,
    archived_by: null,
  });
  if (id === null) throw new Error('a new learning was already stored');
  await recordEvent(
    db,
    'learning.added',
    id,
    learning,
    at,
    conflicts_with === null ? {} : { conflicts_with },
  );
  await archiveExcess(db, id, learning, at);
  return { as: 'new', id, conflicts_with };
}

const textOrNull = (text: string | null): string | null =>
  text === null || text.trim() === '' ? null : visible(text.trim());

/** Searches the archive too: a repeated learning was archived too early. Best match first; of equals, the newest. */
async function findRelated(db: Writer, { feature, scope, body }: LearningInput): Promise<Learning[]> {
  if (scope === 'task') return [];
  const within = { feature: scope === 'project' ? null : feature };
  const scopes = [within, { ...within, among: 'archived' }, { ...within, among: 'unproven' }] as const;
  return findLearnings(db, await matchLearnings(db, scopes, searchWords(body, MAX_WORDS), MAX_COMPARED));
}

async function confirm(
  db: Writer,
  existing: Learning,
  learning: LearningInput,
  at: number,
): Promise<LearnResult> {
  await confirmLearning(db, existing.id);
  // The event stores the words: nearly the same is not the same.
  await recordEvent(db, 'learning.confirmed', existing.id, learning, at, {
    body: learning.body,
    reason: learning.reason,
  });
  const mayAdd =
    learning.proven !== null || (existing.proven === null && existing.task_id === learning.task_id);
  const reason = existing.reason === null && mayAdd ? learning.reason : existing.reason;
  if (reason !== existing.reason) await updateLearning(db, existing, { reason });
  if (existing.proven === null && learning.proven !== null)
    await prove(db, { ...existing, reason }, learning, at);
  // A learning that a person archived stays archived.
  if (existing.archived_by === 'bound') {
    await restoreLearning(db, existing);
    await recordEvent(db, 'learning.restored', existing.id, learning, at, {});
    await archiveExcess(db, existing.id, learning, at);
  }
  return { as: 'confirmation', id: existing.id };
}

/** A gate has passed, or a person vouches: other tasks may get the learning from now on. */
async function prove(
  db: Writer,
  existing: Learning,
  by: Pick<LearningInput, 'task_id' | 'session_id'>,
  at: number,
): Promise<void> {
  await updateLearning(db, existing, { proven: at });
  await recordEvent(db, 'learning.approved', existing.id, by, at, {});
  if (existing.archived === null) await archiveExcess(db, existing.id, { ...existing, proven: at }, at);
}

/** The task is done, and its gates vouch for what its sessions learned. */
export async function proveLearnings(
  db: Writer,
  task_id: number,
  session_id: string | null,
  at: number,
): Promise<void> {
  for (const learning of await unprovenOfTask(db, task_id))
    await prove(db, learning, { task_id, session_id }, at);
}

/** A person vouches for it. */
export const proveLearning = (db: Writer, learning: Learning, at: number): Promise<void> =>
  prove(db, learning, { task_id: null, session_id: null }, at);

/** Archives what exceeds the number of learnings that a prompt chooses from. */
export async function archiveExcess(
  db: Writer,
  newest: number,
  learning: Pick<LearningInput, 'scope' | 'feature' | 'task_id' | 'session_id' | 'proven'>,
  at: number,
): Promise<void> {
  if (learning.scope === 'task') return;
  const feature = learning.scope === 'project' ? null : learning.feature;
  // Counted apart: what waits for proof must not push out what has it.
  const isProven = learning.proven !== null;
  const spared = [newest, ...(await newestLearningIds(db, feature, SPARED_COUNT, isProven))];
  for (const excess of await leastValuableLearnings(db, feature, MAX_ACTIVE, spared, isProven)) {
    await archiveLearning(db, excess, 'bound', at);
    await recordEvent(db, 'learning.archived', excess.id, learning, at, { by: 'bound' });
  }
}

const recordEvent = (
  db: Writer,
  kind:
    | 'learning.added'
    | 'learning.confirmed'
    | 'learning.approved'
    | 'learning.archived'
    | 'learning.restored',
  learning: number,
  { task_id, session_id }: Pick<LearningInput, 'task_id' | 'session_id'>,
  at: number,
  data: object,
): Promise<unknown> => appendEvents(db, [{ at, kind, task_id, session_id, data: { learning, ...data } }]);
