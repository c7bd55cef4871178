// Something was learned: it is new, or known and confirmed by that, or at odds with what is known. Nothing is ever overwritten.
import { compareLearnings } from '../../domain/learnings/compare-learnings.ts';
import { type Learning, MAX_ACTIVE, requireLearnable, summaryOf } from '../../domain/learnings/learning.ts';
import { searchWords } from '../../domain/learnings/search-words.ts';
import { maskValue } from '../../domain/secrets/mask-secrets.ts';
import { visible } from '../../domain/text/text.ts';
import type { Writer } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { matchLearnings } from '../../store/learnings/learning-index.ts';
import { leastOf, newestOf } from '../../store/learnings/learning-lists.ts';
import {
  archiveLearning,
  confirmLearning,
  findLearnings,
  findSame,
  insertLearning,
  restoreLearning,
  updateLearning,
} from '../../store/learnings/learnings.ts';
import type { Queue } from '../queue.ts';
import { requireFeature } from '../require.ts';

export type Said = Pick<
  Learning,
  'feature' | 'scope' | 'category' | 'body' | 'reason' | 'discipline' | 'task_id' | 'session_id'
>;

export type Kept =
  | { as: 'new'; id: number; conflicts_with: number | null }
  /** It was known: in the same words, or nearly. */
  | { as: 'confirmation'; id: number };

/** For a person, or an agent that holds no task. */
export function learn(queue: Queue, said: Omit<Said, 'task_id' | 'session_id'>): Promise<Kept> {
  const at = queue.now();
  requireLearnable(said.body, said.reason);
  return queue.store.write(async (db) => {
    if (said.feature !== null) await requireFeature(db, said.feature);
    const masked = maskValue(said, queue.mask);
    return keepLearning(db, { ...masked, task_id: null, session_id: null }, at);
  });
}

/** Where it holds that a session learned something: without a feature to hold in, in the whole project, or in its task alone. */
export function placeOf(
  scope: Learning['scope'],
  feature: string | null,
): Pick<Learning, 'feature' | 'scope'> {
  const isOfFeature = scope !== 'project' && feature !== null;
  return {
    feature: isOfFeature ? feature : null,
    scope: isOfFeature || scope === 'task' ? scope : 'project',
  };
}

/** Those that share the most words with it; whatever is the same thought is among them. */
const COMPARED = 20;
const WORDS = 24;
/** The newest stay, confirmed or not. */
const SPARED = MAX_ACTIVE / 4;

/** `given`: masked already, because its words are indexed and compared before it is stored. */
export async function keepLearning(db: Writer, given: Said, at: number): Promise<Kept> {
  const said = { ...given, body: visible(given.body.trim()), reason: textOrNull(given.reason) };
  const same = await findSame(db, said);
  if (same !== null) return confirm(db, same, said, at);
  const related = await findRelated(db, said);
  const near = related.find(({ body }) => compareLearnings(body, said.body) === 'repeat');
  if (near !== undefined) return confirm(db, near, said, at);
  const conflict = related.find(
    ({ body, archived }) => archived === null && compareLearnings(body, said.body) === 'conflict',
  );
  const conflicts_with = conflict?.id ?? null;
  const id = await insertLearning(db, {
    ...said,
    summary: summaryOf(said.body),
    created: at,
    confirmations: 0,
    conflicts_with,
    archived: null,
    archived_by: null,
  });
  if (id === null) throw new Error('a learning that nobody knew was known');
  await tell(db, 'learning.added', id, said, at, conflicts_with === null ? {} : { conflicts_with });
  await keepWithin(db, id, said, at);
  return { as: 'new', id, conflicts_with };
}

const textOrNull = (text: string | null): string | null =>
  text === null || text.trim() === '' ? null : visible(text.trim());

/** In the archive, too: what is said again was put away too early. The best match is the first; of equals the newest. */
async function findRelated(db: Writer, { feature, scope, body }: Said): Promise<Learning[]> {
  if (scope === 'task') return [];
  const within = { feature: scope === 'project' ? null : feature };
  const scopes = [within, { ...within, archived: true }];
  return findLearnings(db, await matchLearnings(db, scopes, searchWords(body, WORDS), COMPARED));
}

async function confirm(db: Writer, known: Learning, said: Said, at: number): Promise<Kept> {
  await confirmLearning(db, known.id);
  // The words are kept with the event: nearly the same is not the same.
  await tell(db, 'learning.confirmed', known.id, said, at, { body: said.body, reason: said.reason });
  if (known.reason === null && said.reason !== null) await updateLearning(db, known, { reason: said.reason });
  // What a person put away stays there.
  if (known.archived_by === 'bound') {
    await restoreLearning(db, known);
    await tell(db, 'learning.restored', known.id, said, at, {});
    await keepWithin(db, known.id, said, at);
  }
  return { as: 'confirmation', id: known.id };
}

/** No more than a prompt is chosen from; the rest goes to the archive. */
export async function keepWithin(db: Writer, newest: number, said: Said, at: number): Promise<void> {
  if (said.scope === 'task') return;
  const feature = said.scope === 'project' ? null : said.feature;
  const spared = [newest, ...(await newestOf(db, feature, SPARED))];
  for (const learning of await leastOf(db, feature, MAX_ACTIVE, spared)) {
    await archiveLearning(db, learning, 'bound', at);
    await tell(db, 'learning.archived', learning.id, said, at, { by: 'bound' });
  }
}

const tell = (
  db: Writer,
  kind: 'learning.added' | 'learning.confirmed' | 'learning.archived' | 'learning.restored',
  learning: number,
  { task_id, session_id }: Said,
  at: number,
  data: object,
): Promise<unknown> => appendEvents(db, [{ at, kind, task_id, session_id, data: { learning, ...data } }]);
