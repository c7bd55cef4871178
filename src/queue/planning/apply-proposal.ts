import type { Proposal } from '../../domain/planning/proposal.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { Task } from '../../domain/tasks/task.ts';
import type { Writer } from '../../store/database.ts';
import { allEventsAfter } from '../../store/events.ts';
import { findFeature } from '../../store/tasks/features.ts';
import { findTasksByTitle, type StoredTask } from '../../store/tasks/tasks.ts';
import { applyDefinitionsWithin, NO_DEFINITIONS } from '../definitions/apply-definitions.ts';
import type { Queue } from '../queue.ts';
import { requireTask } from '../require.ts';
import { addTasksWithin } from '../tasks/add.ts';
import { applyEdit, requireNotDefined } from '../tasks/edit.ts';
import { dropDependencies } from '../tasks/link.ts';
import { publicTask } from '../tasks/list.ts';
import { enrichWithin } from './enrich.ts';

/** `twins`: tasks that were added meanwhile with a title of the proposal; they replace the proposed ones. */
type ProposalResult = { features: string[]; added: Task[]; changed: Task[]; twins: Task[] };

/** `as`: the status of its new tasks. Applies all of it, or refuses. */
export function applyProposal(
  queue: Queue,
  proposal: Proposal,
  as: 'draft' | 'pending',
): Promise<ProposalResult> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    await requireUntouched(db, proposal);
    const features = proposal.features.map((feature) => ({ at: 'The plan', ...feature }));
    await applyDefinitionsWithin(db, { ...NO_DEFINITIONS, features }, 'import', at);
    const twins = await findTwins(db, proposal);
    const fresh = proposal.added.filter(({ id }) => !twins.has(id));
    const titles = new Map(fresh.map(({ id, fields }) => [id, fields.title]));
    const inputs = fresh.map(({ fields, depends_on }) => ({
      ...fields,
      draft: as === 'draft',
      depends_on: depends_on.map((id) => titles.get(id) ?? twins.get(id)?.id ?? id),
    }));
    const added = inputs.length === 0 ? [] : await addTasksWithin(db, inputs, { unique: 'ever' }, at);
    const numbers = new Map([
      ...[...twins].map(([id, twin]) => [id, twin.id] as const),
      ...fresh.map(({ id }, index) => [id, added[index]?.id ?? id] as const),
    ]);
    for (const { id, after } of proposal.changed)
      if (after.depends_on !== undefined)
        await dropDependencies(db, await requireTask(db, id), after.depends_on, at);
    const changed: Task[] = [];
    for (const { id, after, is_enriched, is_queued } of proposal.changed) {
      const task = await requireTask(db, id);
      const depends_on = after.depends_on?.map((one) => numbers.get(one) ?? one);
      const edit = { ...after, ...(depends_on !== undefined && { depends_on }) };
      requireNotDefined(task, edit);
      if (is_enriched) await enrichWithin(db, task, edit, { keep_draft: !is_queued }, at);
      else await applyEdit(db, task, edit, at);
      changed.push(await requireTask(db, id));
    }
    return {
      features: features.map(({ name }) => name),
      added: added.map(publicTask),
      changed: changed.map(publicTask),
      twins: [...twins.values()].map(publicTask),
    };
  });
}

/** The planning session cost money: a task that was added meanwhile must not discard the rest of its proposal. */
async function findTwins(db: Writer, { added }: Proposal): Promise<Map<number, StoredTask>> {
  const twins = new Map<number, StoredTask>();
  for (const { id, fields } of added) {
    const twin = (await findTasksByTitle(db, fields.title.trim())).at(-1);
    if (twin !== undefined) twins.set(id, twin);
  }
  return twins;
}

/** Refuses a proposal if what it touches has changed since the person looked at it. */
async function requireUntouched(db: Writer, { seen, features, changed }: Proposal): Promise<void> {
  for (const { name } of features)
    if ((await findFeature(db, name)) !== null)
      throw new Refusal(`The feature "${name}" was created meanwhile, so nothing was applied; plan again.`);
  const later = await allEventsAfter(db, seen);
  const touched = later.find(({ task_id }) => changed.some(({ id }) => id === task_id));
  if (touched !== undefined)
    throw new Refusal(`Task ${touched.task_id} was changed meanwhile, so nothing was applied; plan again.`);
}
