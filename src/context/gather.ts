// The impure counterpart of recipes/: reads a task's neighbourhood, never the whole project, into one immutable value.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentConfig, Config } from '../domain/config.ts';
import type { FileChange, PromptContext } from '../domain/context.ts';
import { searchWords } from '../domain/learnings/search-words.ts';
import type { Feature } from '../domain/tasks/feature.ts';
import type { AcceptedFiles } from '../files/accepted-files.ts';
import { findFiles } from '../files/find-files.ts';
import { readContextFiles, withheldBecause } from '../files/read-files.ts';
import { secretMatcher } from '../files/secret-files.ts';
import { readStateFiles } from '../project/state-files.ts';
import type { Store } from '../store/open.ts';
import { featurePatterns } from './feature-files.ts';
import type { Embedder } from './ollama.ts';
import { type RetrievalQuery, retrieve } from './retrieve.ts';
import { readPlanning, readTask, type StoredContext } from './stored-context.ts';

type GatherSource = {
  store: Store;
  root: string;
  /** The files that the agent will find; the project itself, unless it works in a slot. */
  filesRoot?: string;
  /** What counts of the files below `.ralph`. */
  accepted?: AcceptedFiles;
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
  /** The folder in which the session works; the project's own by default. */
  root?: string;
  /** The session that the prompt is for: it decides the variant of the recipe. */
  session_id?: string;
};

const MAX_WORDS = 24;

export async function gather(
  source: GatherSource,
  { task_id, input, drafts = [], isLaunched = false }: GatherInput,
): Promise<PromptContext> {
  const { store, root, filesRoot = root, accepted = null, config } = source;
  const [stored, stateFiles] = await Promise.all([
    store.read((db) => (task_id === undefined ? readPlanning(db, drafts) : readTask(db, task_id))),
    readStateFiles(root, accepted),
  ]);
  const { last_session, done_commit, ...neighbourhood } = stored;
  const { task, feature, discipline, project } = neighbourhood;
  const isSecret = secretMatcher(config.knowledge.secrets);
  const [learned, spec, codebase, files, changes] = await Promise.all([
    retrieve(store, learningQuery(neighbourhood, input, config.knowledge.top_k), source.embedder),
    readSpec(filesRoot, feature, isSecret),
    source.listFiles === undefined ? [] : readCodebase(filesRoot, source.listFiles),
    readContextFiles(
      filesRoot,
      [
        { level: 'task', patterns: task?.context_files ?? [] },
        { level: 'feature', patterns: feature === null ? [] : featurePatterns(feature) },
      ],
      isSecret,
      // The files of a slot are as they were committed.
      filesRoot === root ? accepted : null,
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
      specs: existingFolders(filesRoot, config.specs),
    },
    spec,
    protocol: ownAgent(config)?.protocol ?? 'verbs',
    isLaunched,
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

// What a prompt says of the project's files besides their text.

async function readSpec(
  root: string,
  feature: Pick<Feature, 'spec_file'> | null,
  isSecret: (path: string) => boolean,
): Promise<PromptContext['spec']> {
  const path = feature?.spec_file?.trim() ?? '';
  if (path === '') return null;
  const [found = { kind: 'missing', path } as const] = await findFiles(root, path, 1);
  return { path, problem: withheldBecause(found, isSecret) };
}

/** More would not change what a prompt shows of them. */
const MAX_LISTED = 20_000;

/** Without git everything that is not passed over counts as a file of the project. */
async function readCodebase(
  root: string,
  listFiles: () => Promise<readonly string[] | null>,
): Promise<readonly string[]> {
  const listed = await listFiles();
  if (listed !== null) return listed;
  const found = await findFiles(root, '.', MAX_LISTED);
  return found.flatMap(({ kind, path }) => (kind === 'file' && !path.startsWith('.ralph/') ? [path] : []));
}

const withoutSecrets = (change: FileChange, isSecret: (path: string) => boolean): FileChange =>
  isSecret(change.path) ? { ...change, diff: { kind: 'withheld', reason: 'may hold secrets' } } : change;
