// Rebuilds a lost database from the journal in git: tasks, sessions and learnings, as far as its lines tell.
import type { JournalEntry } from '../../domain/journal/journal.ts';
import { learnableProblem } from '../../domain/learnings/learning.ts';
import { TASK_DEFAULTS } from '../../domain/tasks/task.ts';
import { isProjectPath, plural } from '../../domain/text/text.ts';
import type { Writer } from '../../store/database.ts';
import { markJournaled } from '../../store/journal/journal.ts';
import { countGivenLearnings, insertGivenLearnings } from '../../store/learnings/given-learnings.ts';
import { findSameLearning, learningIdsByHash } from '../../store/learnings/learnings.ts';
import { isUntouched } from '../../store/metadata.ts';
import { appendEvidence } from '../../store/sessions/evidence.ts';
import { endRun, insertRun } from '../../store/sessions/runs.ts';
import { endSession, findSession, insertSession, sessionsOfTask } from '../../store/sessions/sessions.ts';
import { findDiscipline } from '../../store/tasks/disciplines.ts';
import { insertTouchedFiles } from '../../store/tasks/feature-files.ts';
import { findFeature } from '../../store/tasks/features.ts';
import { insertTaskComments } from '../../store/tasks/task-comments.ts';
import { findTask, type StoredTask, updateTask } from '../../store/tasks/tasks.ts';
import { insertWrittenFiles } from '../../store/tasks/written-files.ts';
import {
  applyDefinitionsWithin,
  applyFilesWithin,
  type DefinitionFiles,
  NO_DEFINITIONS,
} from '../definitions/apply-definitions.ts';
import { keepLearning, resolveScope } from '../learnings/learn.ts';
import { maskJournalEntry } from '../mask-input.ts';
import type { Queue } from '../queue.ts';
import { changeStatus } from '../tasks/change-status.ts';
import { insertTaskEntries, newState } from '../tasks/insert-tasks.ts';

type RebuildResult = {
  sessions: number;
  /** Sessions that the database already has. */
  known: number;
  tasks: number;
  learnings: number;
  /** Tasks that are done now and were not before. */
  done: number;
  problems: string[];
};

type JournalLine = { entry: JournalEntry; at: string };

export function rebuild(queue: Queue, lines: readonly JournalLine[]): Promise<RebuildResult> {
  const at = queue.now();
  return queue.store.write((db) => rebuildWithin(queue, db, lines, at));
}

/** The definition files and the journal of a clone, in one transaction. Null if the queue is in use by now. */
export function rebuildClone(
  queue: Queue,
  { definitions, applied_from, lines }: { lines: readonly JournalLine[] } & DefinitionFiles,
): Promise<RebuildResult | null> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    if (!(await isUntouched(db))) return null;
    await applyFilesWithin(queue, db, { definitions, applied_from }, at);
    return rebuildWithin(queue, db, lines, at);
  });
}

async function rebuildWithin(
  { mask }: Pick<Queue, 'mask'>,
  db: Writer,
  lines: readonly JournalLine[],
  now: number,
): Promise<RebuildResult> {
  const ordered = lines
    .map(({ entry, at }) => ({ entry: maskJournalEntry(entry, mask), at }))
    .sort((one, other) => Date.parse(one.entry.ended) - Date.parse(other.entry.ended));
  const rebuilt: RebuildResult = { sessions: 0, known: 0, tasks: 0, learnings: 0, done: 0, problems: [] };
  const missing = [];
  for (const line of ordered)
    if ((await findSession(db, line.entry.session)) === null) missing.push(line);
    else rebuilt.known += 1;
  if (missing.length === 0) return rebuilt;
  const identity = { pid: 0, process_started: null };
  const run_id = await insertRun(db, { identity, kind: 'supervisor', started: now, leaseMs: 0 });
  await endRun(db, run_id, 'rebuilt from the journal', now);
  for (const { entry, at } of missing) await addEntry(db, run_id, entry, at, rebuilt);
  const entries = missing.map(({ entry }) => entry);
  return { ...rebuilt, done: await finishTasks(db, entries, now) };
}

async function addEntry(
  db: Writer,
  run_id: number,
  entry: JournalEntry,
  place: string,
  rebuilt: RebuildResult,
): Promise<void> {
  const at = Date.parse(entry.ended);
  await ensureFeature(db, entry.feature, at);
  const task = await ensureTask(db, entry, at, rebuilt);
  if (task === null) {
    rebuilt.problems.push(
      `${place}: task ${entry.task} is a different task here, so Ralph takes over only the learnings`,
    );
  } else {
    await addSession(db, run_id, task, entry, at);
    rebuilt.sessions += 1;
  }
  for (const { category, scope, body, reason } of entry.learned) {
    // The journal is a plain file: any program may have written the line.
    const problem = learnableProblem(body, reason);
    if (problem !== null) {
      rebuilt.problems.push(`${place}: ${problem}`);
      continue;
    }
    if (task === null && scope === 'task') continue;
    const learning = {
      ...resolveScope(scope, entry.feature),
      category,
      body,
      reason,
      discipline: null,
      task_id: task?.id ?? null,
      session_id: task === null ? null : entry.session,
      proven: entry.outcome === 'done' ? at : null,
      author: 'agent' as const,
    };
    // Without a session row Ralph cannot know that it has read the line: a second read would confirm the learning.
    if (task === null && (await findSameLearning(db, learning)) !== null) continue;
    const result = await keepLearning(db, learning, at);
    if (result.as === 'new') rebuilt.learnings += 1;
  }
}

async function ensureFeature(db: Writer, name: string | null, at: number): Promise<void> {
  if (name === null || (await findFeature(db, name)) !== null) return;
  await applyDefinitionsWithin(
    db,
    { ...NO_DEFINITIONS, features: [{ at: 'journal', name, fields: {} }] },
    'import',
    at,
  );
}

/** Null if the id now belongs to another task. */
async function ensureTask(
  db: Writer,
  { task: id, title, feature, discipline }: JournalEntry,
  at: number,
  rebuilt: RebuildResult,
): Promise<StoredTask | null> {
  const existing = await findTask(db, id);
  if (existing !== null) return existing.title === title ? existing : null;
  const isKnown = discipline !== null && (await findDiscipline(db, discipline)) !== null;
  const fields = { ...TASK_DEFAULTS, title, feature, discipline: isKnown ? discipline : null };
  const entry = {
    id,
    label: `Task ${id}`,
    fields,
    depends_on: [],
    state: newState('pending', at),
    defined: null,
  };
  await insertTaskEntries(db, [entry], at);
  rebuilt.tasks += 1;
  return findTask(db, id);
}

async function addSession(
  db: Writer,
  run_id: number,
  task: StoredTask,
  entry: JournalEntry,
  at: number,
): Promise<void> {
  const taken = (await sessionsOfTask(db, task.id)).map(({ token }) => token);
  const token = taken.includes(entry.attempt) ? Math.max(...taken) + 1 : entry.attempt;
  const { session: id, outcome, model, turns, input_tokens, output_tokens, cost_usd } = entry;
  await insertSession(db, {
    id,
    run_id,
    task_id: task.id,
    token,
    base_commit: null,
    root: null,
    started: Date.parse(entry.started),
  });
  await endSession(db, id, {
    end: { kind: 'exited', exit_code: null },
    outcome,
    usage: { model, turns, input_tokens, output_tokens, cost_usd },
    next_model: null,
    ended: at,
  });
  await updateTask(db, task.id, { token: Math.max(task.token, token, ...taken) });
  const learningIds = await learningIdsByHash(db, entry.given);
  await insertGivenLearnings(db, id, learningIds);
  await countGivenLearnings(db, learningIds, outcome === 'done' && entry.attempt === 1);
  await insertWrittenFiles(db, id, entry.files.filter(isProjectPath));
  if (entry.feature !== null)
    await insertTouchedFiles(db, entry.feature, id, [...entry.files, ...entry.read].filter(isProjectPath));
  await markJournaled(db, id, at);
}

/** The last line of a task decides its status; earlier failures count as attempts. Returns how many tasks are done now. */
async function finishTasks(db: Writer, entries: readonly JournalEntry[], at: number): Promise<number> {
  const byTask = new Map<number, JournalEntry[]>();
  for (const entry of entries) {
    const mine = byTask.get(entry.task);
    if (mine === undefined) byTask.set(entry.task, [entry]);
    else mine.push(entry);
  }
  let done = 0;
  for (const [id, mine] of byTask) {
    const task = await findTask(db, id);
    const last = mine.at(-1);
    if (task === null || last === undefined || task.title !== last.title) continue;
    if (task.status !== 'pending' && task.status !== 'draft') continue;
    const count = (...outcomes: string[]): number =>
      mine.filter(({ outcome }) => outcomes.includes(outcome)).length;
    const tries = {
      attempts: task.attempts + count('gate_failed', 'changes_requested', 'no_change'),
      stuck_count: task.stuck_count + count('stuck'),
    };
    const body = `Rebuilt from the journal: ${plural(mine.length, 'session')}, the last one ${last.outcome}${last.commit === null ? '' : ` in commit ${last.commit}`}.${last.summary === null ? '' : `\n\n${last.summary}`}`;
    await insertTaskComments(db, [
      { task_id: id, session_id: last.session, author: 'system', body, created: at },
    ]);
    if (last.outcome !== 'done') {
      await updateTask(db, id, { ...tries, updated: at });
      continue;
    }
    const step = (
      from: StoredTask['status'],
      cause: 'approve' | 'claim' | 'settle',
      to: StoredTask['status'],
    ) => changeStatus(db, { id, status: from }, { cause, to, at });
    if (task.status === 'draft') await step('draft', 'approve', 'pending');
    await step('pending', 'claim', 'in_progress');
    await step('in_progress', 'settle', 'done');
    await appendEvidence(db, [{ at, kind: 'rebuilt', task_id: id }]);
    done += 1;
  }
  return done;
}
