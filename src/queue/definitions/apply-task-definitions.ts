import type { TaskDefinition } from '../../domain/definition.ts';
import { Refusal } from '../../domain/refusal.ts';
import { type Edges, findCycle } from '../../domain/tasks/dag.ts';
import { isSatisfied } from '../../domain/tasks/status.ts';
import { isOpenQuestion, type Status, TASK_DEFAULTS, type TaskFields } from '../../domain/tasks/task.ts';
import type { Writer } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { insertQuestion } from '../../store/tasks/questions.ts';
import { insertTaskComments } from '../../store/tasks/task-comments.ts';
import { allEdges, definedEdges, markDefined } from '../../store/tasks/task-dependencies.ts';
import {
  definedTasks,
  findStatuses,
  findTasks,
  listTasks,
  nextTaskId,
  type StoredTask,
  updateTask,
} from '../../store/tasks/tasks.ts';
import { addReferences } from '../exchange/update-from-source.ts';
import { applyEdit, changedFields } from '../tasks/edit.ts';
import { insertTaskEntries, newState, type TaskEntry } from '../tasks/insert-tasks.ts';
import { dropDependencies } from '../tasks/link.ts';
import type { ApplyCounts } from './apply-definitions.ts';
import { type ApplyMode, merge } from './merge.ts';

type DefinedFields = TaskFields & { depends_on: readonly number[] };
type Match = {
  id: number;
  definition: TaskDefinition;
  current: StoredTask | undefined;
  /** What the task will depend on. */
  wanted: readonly number[];
};

const DEFAULTS: DefinedFields = { ...TASK_DEFAULTS, title: '', depends_on: [] };

export async function applyTaskDefinitions(
  db: Writer,
  definitions: readonly TaskDefinition[],
  mode: ApplyMode,
  at: number,
  applied: ApplyCounts,
): Promise<void> {
  if (mode === 'import' && definitions.length === 0) return;
  const fileEdges = await definedEdges(db);
  const matched = (await match(db, definitions)).map((one) => ({
    ...one,
    wanted: wantedDependencies(one, fileEdges, mode),
  }));
  await requireNoCycle(db, matched);
  const added = matched.filter(({ current }) => current === undefined);
  await insertNewTasks(db, added, mode, at);
  applied.added += added.length;
  const updates: Update[] = [];
  for (const one of matched) {
    if (one.current !== undefined) updates.push(await removeDroppedLinks(db, one.current, one, mode, at));
  }
  const referred = await addReferences(db, matched);
  for (const change of updates) {
    const isChanged = (await update(db, change, at)) || referred.has(change.current.id);
    applied[isChanged ? 'updated' : 'unchanged'] += 1;
  }
  if (mode === 'sync') await updateOwnership(db, matched, fileEdges);
}

/** The files own the edges and tasks that they give. What they no longer give belongs to the database again. */
async function updateOwnership(
  db: Writer,
  matched: readonly Match[],
  fileEdges: Edges<number>,
): Promise<void> {
  for (const { id, definition, current } of matched) {
    const fileDependencies = definition.depends_on ?? [];
    if (
      current !== undefined &&
      fileDependencies.join() !== [...(fileEdges.get(id) ?? [])].sort((a, b) => a - b).join()
    ) {
      await markDefined(db, id, fileDependencies);
    }
  }
  const mentioned = new Set(matched.map(({ id }) => id));
  for (const id of await definedTasks(db)) {
    if (mentioned.has(id)) continue;
    await updateTask(db, id, { defined: null });
    await markDefined(db, id, []);
  }
}

/** Matches by id, or by title if the file gives no id. */
async function match(db: Writer, definitions: readonly TaskDefinition[]): Promise<Omit<Match, 'wanted'>[]> {
  const ids = new Map<number, TaskDefinition>();
  for (const definition of definitions) {
    if (definition.id === undefined) continue;
    const twin = ids.get(definition.id);
    if (twin !== undefined)
      throw new Refusal(
        `${definition.at}: id ${definition.id} is already used at ${twin.at}; give one of the two another id.`,
      );
    ids.set(definition.id, definition);
  }
  const byId = new Map((await findTasks(db, [...ids.keys()])).map((task) => [task.id, task]));
  const byTitle =
    definitions.length === ids.size ? new Map<string, StoredTask>() : await tasksByTitle(db, ids);
  const titles = new Map<string, TaskDefinition>();
  let nextId = await nextTaskId(db);
  for (const id of ids.keys()) nextId = Math.max(nextId, id + 1);
  return definitions.map((definition) => {
    const { title } = definition.fields;
    if (definition.id !== undefined) {
      const current = byId.get(definition.id);
      requireSameTask(definition, current);
      return { id: definition.id, definition, current };
    }
    const twin = titles.get(title);
    if (twin !== undefined)
      throw new Refusal(
        `${definition.at}: the title "${title}" is already used at ${twin.at}; give both tasks an id.`,
      );
    titles.set(title, definition);
    const current = byTitle.get(title);
    return { id: current?.id ?? nextId++, definition, current };
  });
}

async function tasksByTitle(db: Writer, taken: Map<number, unknown>): Promise<Map<string, StoredTask>> {
  const tasks = await listTasks(db);
  return new Map(
    tasks
      .filter(({ id }) => !taken.has(id))
      .reverse()
      .map((task) => [task.title, task]),
  );
}

/** A file must not overwrite a task that a tool created under the same id. */
function requireSameTask({ id, at, fields }: TaskDefinition, current: StoredTask | undefined): void {
  if (current === undefined || current.defined !== null || current.title === fields.title) return;
  throw new Refusal(
    `${at}: id ${id} belongs to the task "${current.title}"; use another id, or the same title.`,
  );
}

async function requireNoCycle(db: Writer, matched: readonly Match[]): Promise<void> {
  const edges: Map<number, readonly number[]> = new Map(await allEdges(db));
  for (const { id, wanted } of matched) edges.set(id, wanted);
  const cycle = findCycle(edges);
  if (cycle === null) return;
  const place = matched.find(({ id }) => cycle.includes(id))?.definition.at ?? 'The definitions';
  throw new Refusal(`${place}: the dependencies close the cycle ${cycle.join(' → ')}; remove one of them.`);
}

/** A sync keeps the dependencies that agents and people added; an import replaces all of them. */
function wantedDependencies(
  { id, current, definition }: Omit<Match, 'wanted'>,
  fileEdges: Edges<number>,
  mode: ApplyMode,
): readonly number[] {
  if (current === undefined) return definition.depends_on ?? [];
  if (mode === 'import') return definition.depends_on ?? current.depends_on;
  const defined = definition.depends_on ?? [];
  const fromFile = new Set(fileEdges.get(id) ?? []);
  const others = current.depends_on.filter(
    (dependency) => !fromFile.has(dependency) && !defined.includes(dependency),
  );
  return [...defined, ...others].sort((a, b) => a - b);
}

export async function insertNewTasks(
  db: Writer,
  fresh: readonly Match[],
  mode: ApplyMode,
  at: number,
): Promise<void> {
  const own = new Set(fresh.map(({ id }) => id));
  const mentioned = fresh.flatMap(({ definition }) => definition.depends_on ?? []);
  const statuses = await findStatuses(
    db,
    mentioned.filter((id) => !own.has(id)),
  );
  for (const { id, definition } of fresh) statuses.set(id, definition.state.status ?? 'pending');
  await insertTaskEntries(
    db,
    fresh.map((entry) => toEntry(entry, statuses, mode, at)),
    at,
  );
  await insertTaskComments(
    db,
    fresh.flatMap(({ id, definition }) =>
      (definition.state.comments ?? []).map(({ author, agent_task_id = null, body, created = at }) => ({
        task_id: id,
        session_id: null,
        author,
        body,
        created,
        agent_task_id,
      })),
    ),
  );
  await appendEvents(
    db,
    fresh.flatMap(({ id, definition }) =>
      (definition.state.comments ?? []).map(() => ({ at, kind: 'comment.added' as const, task_id: id })),
    ),
  );
  for (const { id, definition } of fresh) {
    for (const question of definition.state.questions ?? []) {
      const asked = await insertQuestion(db, { task_id: id, signal_id: null, asked: at, ...question });
      const data = { question: asked, blocking: question.blocking };
      await appendEvents(db, [{ at, kind: 'question.asked', task_id: id, data }]);
    }
  }
}

function toEntry(
  { id, definition }: Match,
  statuses: ReadonlyMap<number, Status>,
  mode: ApplyMode,
  at: number,
): TaskEntry {
  const { at: place, state, fields, depends_on = [] } = definition;
  const { comments: _comments, questions = [], ...stored } = state;
  const definedFields = definition.depends_on === undefined ? fields : { ...fields, depends_on };
  const waits = depends_on.some((dependency) => !isSatisfied(statuses.get(dependency) ?? 'pending'));
  const asks = questions.some((question) => question.blocking && isOpenQuestion(question));
  const status = firstStatus(state, { waits, asks });
  return {
    id,
    label: `${place}: task ${id}`,
    fields: { ...TASK_DEFAULTS, ...fields },
    depends_on: [...new Set(depends_on)],
    state: {
      ...newState('pending', at),
      ...stored,
      status,
      blocked_by: status === 'blocked' || status === 'needs_input' ? (state.blocked_by ?? null) : null,
      completed: status === 'done' ? (state.completed ?? state.updated ?? at) : null,
      archived: isSatisfied(status) ? (state.archived ?? null) : null,
    },
    defined: mode === 'sync' ? Object.keys(definedFields).sort() : null,
  };
}

/** Keeps `in_progress`, `needs_input` and `blocked` only with their reason: otherwise nothing could end them. */
function firstStatus(
  { status = 'pending', blocked_by }: TaskDefinition['state'],
  { waits, asks }: { waits: boolean; asks: boolean },
): Status {
  switch (status) {
    case 'in_progress':
      return 'pending';
    case 'needs_input':
      return asks ? status : 'pending';
    case 'blocked':
      return waits || (blocked_by ?? null) !== null ? status : 'pending';
    default:
      return status;
  }
}

type Update = {
  current: StoredTask;
  fields: DefinedFields;
  defined: readonly string[] | null;
  unlinked: boolean;
};

async function removeDroppedLinks(
  db: Writer,
  current: StoredTask,
  { definition, wanted }: Match,
  mode: ApplyMode,
  at: number,
): Promise<Update> {
  const { fields, depends_on } = definition;
  const definedFields: Partial<DefinedFields> = depends_on === undefined ? fields : { ...fields, depends_on };
  const merged = merge<DefinedFields>({ at: definition.at, fields: definedFields }, current, DEFAULTS, mode);
  const unlinked = await dropDependencies(db, current, wanted, at);
  return {
    fields: { ...merged.fields, depends_on: wanted },
    defined: merged.defined,
    current: unlinked,
    unlinked: unlinked !== current,
  };
}

async function update(
  db: Writer,
  { current, fields, defined, unlinked }: Update,
  at: number,
): Promise<boolean> {
  const edited = await applyEdit(db, current, fields, at);
  const owned = changedFields<object>({ defined: current.defined }, { defined }).length > 0;
  if (owned) await updateTask(db, current.id, { defined });
  return edited || unlinked;
}
