// The impure counterpart of recipes/: reads a task's neighbourhood, never the whole project, into one immutable value.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentConfig, Config } from '../domain/config.ts';
import type { Attempt, FileChange, PromptContext } from '../domain/context.ts';
import { searchWords } from '../domain/learnings/search-words.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Session } from '../domain/sessions/session.ts';
import { OUTCOMES } from '../domain/sessions/settle.ts';
import { doneSummary, lastClosing } from '../domain/sessions/signal.ts';
import type { Flag } from '../domain/tasks/flag.ts';
import type { Task } from '../domain/tasks/task.ts';
import { type NumberedTry, neverBegan, numberTries } from '../domain/tasks/tries.ts';
import { readContextFiles } from '../files/read-files.ts';
import { secretMatcher } from '../files/secret-files.ts';
import { readStateFiles } from '../project/state-files.ts';
import type { Reader } from '../store/database.ts';
import { readMetadata } from '../store/metadata.ts';
import type { Store } from '../store/open.ts';
import { gateRunsOfSession } from '../store/sessions/gate-runs.ts';
import { findReceipt } from '../store/sessions/receipts.ts';
import { sessionsOfTask } from '../store/sessions/sessions.ts';
import { signalsOfSession } from '../store/sessions/signals.ts';
import { findDiscipline, listDisciplines } from '../store/tasks/disciplines.ts';
import { findFeature, listFeatures } from '../store/tasks/features.ts';
import { flagsOfTask } from '../store/tasks/flags.ts';
import { findSiblings, findSummaries, openTasks } from '../store/tasks/neighbours.ts';
import { answersOfFeature, questionsOfTask } from '../store/tasks/questions.ts';
import { commentsOfTask, type StoredComment } from '../store/tasks/task-comments.ts';
import { findTask, findTasks } from '../store/tasks/tasks.ts';
import { featurePatterns } from './feature-files.ts';
import type { Embedder } from './ollama.ts';
import { readCodebase, readSpec, withoutSecrets } from './project-files.ts';
import { type RetrievalQuery, retrieve } from './retrieve.ts';

export type GatherSource = {
  store: Store;
  root: string;
  title: string;
  config: Pick<Config, 'agent' | 'agents' | 'ladder' | 'commit' | 'gates' | 'specs' | 'knowledge'>;
  /** What the work of a session's task changed, or null. Injected, because it starts a process. */
  changesOf: (session_id: string) => Promise<readonly FileChange[] | null>;
  /** What one commit changed, or null. */
  changesIn: (commit: string) => Promise<readonly FileChange[] | null>;
  /** The files of the project as git sees them, or null without git; absent if the recipe does not show them. */
  listFiles?: () => Promise<readonly string[] | null>;
  /** Null if learnings are ranked by words alone. */
  embedder: Embedder | null;
};

export type GatherInput = {
  task_id?: number;
  input?: string;
  drafts?: readonly number[];
  /** Ralph launches the session on the task: it has the MCP servers of its discipline, and may ask for a model. */
  isLaunched?: boolean;
};

const MAX_SIBLINGS = 40;
const MAX_PREREQUISITES = 20;
const MAX_COMMENTS = 10;
const MAX_QUESTIONS = 20;
const MAX_FLAGS = 10;
const MAX_DECISIONS = 10;
const MAX_PLANNING = 200;
const MAX_WORDS = 24;

export async function gather(
  source: GatherSource,
  { task_id, input, drafts = [], isLaunched = false }: GatherInput,
): Promise<PromptContext> {
  const { store, root, config } = source;
  const [stored, stateFiles] = await Promise.all([
    store.read((db) => (task_id === undefined ? readPlanning(db, drafts) : readTask(db, task_id))),
    readStateFiles(root),
  ]);
  const { last_session, done_commit, ...neighbourhood } = stored;
  const { task, feature, discipline, project } = neighbourhood;
  const isSecret = secretMatcher(config.knowledge.secrets);
  const [learned, spec, codebase, files, changes] = await Promise.all([
    retrieve(store, learningQuery(neighbourhood, input, config.knowledge.top_k), source.embedder),
    readSpec(root, feature, isSecret),
    source.listFiles === undefined ? [] : readCodebase(root, source.listFiles),
    readContextFiles(
      root,
      [
        { level: 'task', patterns: task?.context_files ?? [] },
        { level: 'feature', patterns: feature === null ? [] : featurePatterns(feature) },
      ],
      isSecret,
    ),
    done_commit !== null
      ? source.changesIn(done_commit)
      : last_session === null
        ? null
        : source.changesOf(last_session),
  ]);
  return {
    ...neighbourhood,
    learnings: learned,
    project: {
      ...project,
      title: project.title ?? source.title,
      ...stateFiles,
      specs: existingFolders(root, config.specs),
    },
    spec,
    protocol: ownAgent(config)?.protocol ?? 'verbs',
    servers: isLaunched ? (discipline?.mcp_servers ?? []).map(({ name }) => name) : [],
    models: isLaunched && readsModels(config) ? config.ladder : [],
    commit: config.commit,
    gates: config.gates,
    delivery: config.knowledge.delivery,
    budget_tokens: config.knowledge.budget_tokens,
    files,
    codebase,
    changes: changes?.map((change) => withoutSecrets(change, isSecret)) ?? null,
    input: input ?? null,
  };
}

type StoredContext = Omit<
  PromptContext,
  | 'project'
  | 'learnings'
  | 'spec'
  | 'protocol'
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

/** An agent would search for a folder that does not exist. */
const existingFolders = (root: string, folders: readonly string[]): string[] =>
  folders.filter((folder) => existsSync(join(root, folder)));

/** Undefined for Claude Code. */
const ownAgent = ({ agent, agents }: GatherSource['config']): AgentConfig | undefined =>
  Object.hasOwn(agents, agent) ? agents[agent] : undefined;

/** Whether Ralph reads the agent's last message, in which it can ask for a model. */
const readsModels = (config: GatherSource['config']): boolean =>
  (ownAgent(config)?.protocol ?? 'sigils') === 'sigils';

/** Only words of the task's author: the words of Ralph's own prompt occur in every prompt. */
function learningQuery(
  { task, feature, drafts, attempts }: Pick<StoredContext, 'task' | 'feature' | 'drafts' | 'attempts'>,
  input: string | undefined,
  top_k: number,
): RetrievalQuery {
  const about = task === null ? drafts : [task];
  const words = about.flatMap(({ title, description }) => [title, description ?? '']);
  const text = [...words, ...(task?.acceptance_criteria ?? []), input ?? ''].join('\n');
  return {
    text,
    words: searchWords(text, MAX_WORDS),
    feature: feature?.name ?? null,
    foundations: feature?.dependencies ?? [],
    retried_task: task !== null && attempts.length > 0 ? task.id : null,
    top_k,
  };
}

async function readTask(db: Reader, id: number): Promise<StoredContext> {
  const task = await findTask(db, id);
  if (task === null) throw new Refusal(`There is no task ${id}; ralph list shows all tasks.`);
  const feature = task.feature === null ? null : await findFeature(db, task.feature);
  const { siblings, more } =
    task.feature === null
      ? { siblings: [], more: 0 }
      : await findSiblings(db, { id, feature: task.feature }, MAX_SIBLINGS);
  const sessions = await sessionsOfTask(db, id);
  const begun = numberTries(sessions).filter((session) => !neverBegan(session));
  const endedSessions = begun.filter(({ ended }) => ended !== null);
  return {
    ...NOTHING_PLANNED,
    project: await readProject(db),
    task,
    parent: task.parent === null ? null : await findTask(db, task.parent),
    discipline: task.discipline === null ? null : await findDiscipline(db, task.discipline),
    feature,
    foundations: await readFoundations(db, feature?.dependencies ?? []),
    siblings,
    more_siblings: more,
    prerequisites: await readPrerequisites(db, task),
    // Without the session that this prompt is for: it is claimed, but has done nothing yet.
    attempts: await readAttempts(db, endedSessions),
    comments: newestComments(withoutGateOutput(await commentsOfTask(db, id), sessions)),
    questions: (await questionsOfTask(db, id)).slice(-MAX_QUESTIONS),
    blocking_flags: await readBlockingFlags(db, id),
    decisions: await answersOfFeature(db, task, MAX_DECISIONS),
    claimed_summary: await readClaim(db, sessions),
    done_commit: task.status === 'done' ? ((await findReceipt(db, id))?.commit ?? null) : null,
    last_session: begun.findLast(({ ended, closing }) => ended !== null || closing !== null)?.id ?? null,
  };
}

async function readPlanning(db: Reader, draftIds: readonly number[]): Promise<StoredContext> {
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
  return tasks.map(({ id, title, status }) => ({ id, title, status, summary: summaries.get(id) ?? null }));
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
