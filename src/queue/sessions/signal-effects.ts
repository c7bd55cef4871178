// The effects of a settled session's signals besides the status: learnings, drafts, links.

import type { Upstream } from '../../domain/sessions/settle.ts';
import { isVerb, type Signal, type SignalOf } from '../../domain/sessions/signal.ts';
import { isSatisfied } from '../../domain/tasks/status.ts';
import { TASK_DEFAULTS } from '../../domain/tasks/task.ts';
import { MAX_TITLE, toStorable } from '../../domain/text/text.ts';
import type { Writer } from '../../store/database.ts';
import { listFeatures } from '../../store/tasks/features.ts';
import { findTask, findTasksByTitle, nextTaskId, type StoredTask } from '../../store/tasks/tasks.ts';
import { keepLearning, proveLearnings, resolveScope } from '../learnings/learn.ts';
import { insertTaskEntries, newState } from '../tasks/insert-tasks.ts';
import { cycleThrough } from '../tasks/link.ts';
import type { LiveSession } from './live-session.ts';

export async function resolveUpstream(
  db: Writer,
  task: StoredTask,
  signals: readonly Signal[],
): Promise<Upstream[]> {
  const upstream: Upstream[] = [];
  for (const { on, kind } of signals.filter(isVerb('blocked'))) {
    if (kind === 'upstream_task') upstream.push(await findUpstream(db, task, on));
  }
  return upstream;
}

/** Agents name a task as `7`, `#7` or by its title. */
async function findUpstream(db: Writer, task: StoredTask, on: string): Promise<Upstream> {
  const id = /^(?:task\s*)?#?(\d{1,15})$/i.exec(on.trim())?.[1];
  const upstream =
    id === undefined ? (await findTasksByTitle(db, on.trim()))[0] : await findTask(db, Number(id));
  if (upstream === undefined || upstream === null) return { on, found: 'nothing' };
  if (isSatisfied(upstream.status)) return { on, found: 'satisfied', task_id: upstream.id };
  const path = await cycleThrough(db, task.id, upstream.id);
  return path === null ? { on, found: 'open', task_id: upstream.id } : { on, found: 'cycle', path };
}

export async function keepLearnings(
  db: Writer,
  { task, session }: LiveSession,
  signals: readonly Signal[],
  { isDone, at }: { isDone: boolean; at: number },
): Promise<void> {
  // Before the new ones: a repeated learning then confirms one that is proven already.
  if (isDone) await proveLearnings(db, task.id, session.id, at);
  for (const { text, kind, rationale = null, scope } of signals.filter(isVerb('learned'))) {
    if (text.trim() === '') continue;
    await keepLearning(
      db,
      {
        ...resolveScope(scope, task.feature),
        category: kind,
        body: text,
        reason: rationale,
        discipline: task.discipline,
        task_id: task.id,
        session_id: session.id,
        proven: isDone ? at : null,
        author: 'agent',
      },
      at,
    );
  }
}

/** A suggested task becomes a draft only once: a retried session tends to suggest the same again. */
export async function keepSuggestions(
  db: Writer,
  { task }: LiveSession,
  signals: readonly Signal[],
  at: number,
): Promise<void> {
  for (const suggestion of signals.filter(isVerb('suggest'))) {
    if (suggestion.kind !== 'new_task') continue;
    const title = toTitle(suggestion.what);
    if (title === '' || (await findTasksByTitle(db, title)).length > 0) continue;
    const id = await nextTaskId(db);
    const fields = {
      ...TASK_DEFAULTS,
      title,
      description: describe(suggestion, task.id),
      feature: await knownFeature(db, suggestion.feature ?? null, task.feature),
      discipline: task.discipline,
      provenance: 'agent' as const,
    };
    await insertTaskEntries(
      db,
      [{ id, label: `Task ${id}`, fields, depends_on: [], state: newState('draft', at), defined: null }],
      at,
    );
  }
}

const toTitle = (what: string): string => toStorable(what.trim().split(/[\r\n]/)[0] ?? '', MAX_TITLE).trim();

const describe = ({ what, why }: SignalOf<'suggest'>, from: number): string =>
  toStorable(`Suggested while working on task ${from}.\n\n${what.trim()}\n\nWhy: ${why}`);

async function knownFeature(
  db: Writer,
  suggested: string | null,
  fallback: string | null,
): Promise<string | null> {
  const names = (await listFeatures(db)).map(({ name }) => name);
  return suggested !== null && names.includes(suggested) ? suggested : fallback;
}
