// What the database knows of a prompt: the neighbourhood of a task, or the queue for a planning session.
import type { Attempt, PromptContext } from '../domain/context.ts';
import { OWN_BOARD } from '../domain/exchange/backlog.ts';
import { isSourceNote } from '../domain/exchange/source-notes.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Session } from '../domain/sessions/session.ts';
import { OUTCOMES } from '../domain/sessions/settle.ts';
import { doneSummary, lastClosing } from '../domain/sessions/signal.ts';
import type { Flag } from '../domain/tasks/flag.ts';
import type { Task } from '../domain/tasks/task.ts';
import { type NumberedTry, neverBegan, numberTries } from '../domain/tasks/tries.ts';
import type { Reader } from '../store/database.ts';
import { readMetadata } from '../store/metadata.ts';
import { gateRunsOfSession } from '../store/sessions/gate-runs.ts';
import { findReceipt } from '../store/sessions/receipts.ts';
import { sessionsOfTask } from '../store/sessions/sessions.ts';
import { signalsOfSession } from '../store/sessions/signals.ts';
import { findDiscipline, listDisciplines } from '../store/tasks/disciplines.ts';
import { findFeature, listFeatures } from '../store/tasks/features.ts';
import { flagsOfTask } from '../store/tasks/flags.ts';
import { findSiblings, findSummaries, openTasks } from '../store/tasks/neighbours.ts';
import { answersOfFeature, questionsOfTask } from '../store/tasks/questions.ts';
import { findOrigin } from '../store/tasks/references.ts';
import { commentsOfTask, type StoredComment } from '../store/tasks/task-comments.ts';
import { findTask, findTasks } from '../store/tasks/tasks.ts';

const MAX_SIBLINGS = 20;
const MAX_PREREQUISITES = 20;
const MAX_COMMENTS = 10;
const MAX_QUESTIONS = 20;
const MAX_FLAGS = 10;
const MAX_DECISIONS = 10;
const MAX_PLANNING = 200;

export type StoredContext = Omit<
  PromptContext,
  | 'project'
  | 'learnings'
  | 'spec'
  | 'protocol'
  | 'isLaunched'
  | 'servers'
  | 'models'
  | 'commit'
  | 'gates'
  | 'delivery'
  | 'budget_tokens'
  | 'files'
  | 'codebase'
  | 'changes'
  | 'input'
> & {
  project: { title: string | null; description: string | null };
  /** The task's last session that has ended, or whose work is being judged. */
  last_session: string | null;
  /** The commit with the work of a done task. */
  done_commit: string | null;
};

export async function readTask(db: Reader, id: number): Promise<StoredContext> {
  const task = await findTask(db, id);
  if (task === null) throw new Refusal(`There is no task ${id}; ralph list shows all tasks.`);
  const feature = task.feature === null ? null : await findFeature(db, task.feature);
  const { siblings, more } =
    task.feature === null
      ? { siblings: [], more: 0 }
      : await findSiblings(db, { id, feature: task.feature }, MAX_SIBLINGS);
  const sessions = await sessionsOfTask(db, id);
  const begun = numberTries(sessions).filter((session) => !neverBegan(session));
  const comments = await commentsOfTask(db, id);
  const endedSessions = begun.filter(({ ended }) => ended !== null);
  return {
    ...NOTHING_PLANNED,
    project: await readProject(db),
    task,
    origin: await findOrigin(db, id, OWN_BOARD),
    source_notes: comments.filter(isSourceNote).map(({ body }) => body),
    parent: task.parent === null ? null : await findTask(db, task.parent),
    discipline: task.discipline === null ? null : await findDiscipline(db, task.discipline),
    feature,
    foundations: await readFoundations(db, feature?.dependencies ?? []),
    siblings,
    more_siblings: more,
    prerequisites: await readPrerequisites(db, task),
    // Without the session that this prompt is for: it is claimed, but has done nothing yet.
    attempts: await readAttempts(db, endedSessions),
    comments: newestComments(
      withoutGateOutput(
        comments.filter((one) => !isSourceNote(one)),
        sessions,
      ),
    ),
    questions: (await questionsOfTask(db, id)).slice(-MAX_QUESTIONS),
    blocking_flags: await readBlockingFlags(db, id),
    decisions: await answersOfFeature(db, task, MAX_DECISIONS),
    claimed_summary: await readClaim(db, sessions),
    done_commit: task.status === 'done' ? ((await findReceipt(db, id))?.commit ?? null) : null,
    last_session: begun.findLast(({ ended, closing }) => ended !== null || closing !== null)?.id ?? null,
  };
}

export async function readPlanning(db: Reader, draftIds: readonly number[]): Promise<StoredContext> {
  const drafts = await findTasks(db, draftIds);
  // Drafts of one feature share its knowledge; drafts of several features get none.
  const names = new Set(drafts.map(({ feature }) => feature));
  const [only = null] = names.size === 1 ? names : [];
  return {
    ...NO_TASK,
    project: await readProject(db),
    feature: only === null ? null : await findFeature(db, only),
    features: (await listFeatures(db)).slice(0, MAX_PLANNING),
    disciplines: await listDisciplines(db),
    drafts,
    open_tasks: await openTasks(db, MAX_PLANNING),
  };
}

const NOTHING_PLANNED = { features: [], disciplines: [], drafts: [], open_tasks: [] };

const NO_TASK = {
  task: null,
  origin: null,
  source_notes: [],
  parent: null,
  discipline: null,
  foundations: [],
  siblings: [],
  more_siblings: 0,
  prerequisites: [],
  attempts: [],
  comments: [],
  questions: [],
  blocking_flags: [],
  decisions: [],
  claimed_summary: null,
  last_session: null,
  done_commit: null,
};

async function readProject(db: Reader): Promise<StoredContext['project']> {
  const { title = null, description = null } = await readMetadata(db);
  return { title, description };
}

async function readFoundations(db: Reader, names: readonly string[]): Promise<PromptContext['foundations']> {
  const found = await Promise.all(names.map((name) => findFeature(db, name)));
  return found.filter((feature) => feature !== null);
}

async function readPrerequisites(db: Reader, { depends_on }: Task): Promise<PromptContext['prerequisites']> {
  const tasks = await findTasks(db, depends_on.slice(-MAX_PREREQUISITES));
  const summaries = await findSummaries(
    db,
    tasks.map(({ id }) => id),
  );
  return tasks.map(({ id, title, status, provenance }) => ({
    ...{ id, title, status, provenance },
    summary: summaries.get(id) ?? null,
  }));
}

/** The prompt shows a gate's output with its attempt; repeating it here would cost tokens twice. */
function withoutGateOutput(
  comments: readonly StoredComment[],
  sessions: readonly Session[],
): StoredComment[] {
  const refuted = new Set(sessions.filter(({ outcome }) => outcome === 'gate_failed').map(({ id }) => id));
  return comments.filter(({ session_id }) => session_id === null || !refuted.has(session_id));
}

/** Counted apart, so that the reports of many sessions do not crowd out what people said. */
function newestComments(comments: readonly StoredComment[]): StoredComment[] {
  const people = comments.filter(({ author }) => author === 'human').slice(-MAX_COMMENTS);
  const others = comments.filter(({ author }) => author !== 'human').slice(-MAX_COMMENTS);
  return [...people, ...others].sort((one, other) => one.id - other.id);
}

async function readBlockingFlags(db: Reader, task_id: number): Promise<Flag[]> {
  const flags = await flagsOfTask(db, task_id);
  return flags
    .filter(({ severity, closed, note }) => severity === 'blocking' && (closed === null || note !== null))
    .slice(-MAX_FLAGS);
}

async function readClaim(db: Reader, sessions: readonly Session[]): Promise<string | null> {
  const last = sessions.at(-1);
  if (last === undefined) return null;
  const closing = lastClosing((await signalsOfSession(db, last.id)).map(({ signal }) => signal));
  return doneSummary(closing);
}

async function readAttempts(db: Reader, sessions: readonly NumberedTry<Session>[]): Promise<Attempt[]> {
  return Promise.all(
    sessions.map(async ({ id, outcome, try: number }) => ({
      number,
      outcome: OUTCOMES.find((one) => one === outcome) ?? 'interrupted',
      failures:
        outcome === 'gate_failed' ? (await gateRunsOfSession(db, id)).filter(({ passed }) => !passed) : [],
    })),
  );
}
