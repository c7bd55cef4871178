// What the MCP server needs of this project and this machine, put together once somebody asks for it.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type GatherInput, gather } from '../context/gather.ts';
import { search } from '../context/search.ts';
import type { Config } from '../domain/config.ts';
import type { RecipeName } from '../domain/context.ts';
import { Refusal } from '../domain/refusal.ts';
import { maskSecrets, maskValue } from '../domain/secrets/mask-secrets.ts';
import { gateChangesText, unsignedText } from '../domain/sessions/commit-message.ts';
import { allowedMatcher, secretMatcher } from '../files/secret-files.ts';
import { writeFileWhole } from '../files/write-file.ts';
import { commitDiff, diffSince } from '../host/git/diff.ts';
import { headCommit } from '../host/git/git.ts';
import { makePrivate } from '../host/private-state.ts';
import { identify, isAlive } from '../host/processes/process-identity.ts';
import {
  copyPath,
  databasePath,
  keepOutOfGit,
  planningDir,
  projectWorkTrees,
  sessionDir,
  stateOwner,
} from '../host/project.ts';
import { createVerifier } from '../host/verify.ts';
import { discardWork, saveUnfinished } from '../host/work/work-in-progress.ts';
import { looksUnchanged } from '../host/work/work-progress.ts';
import { readConfig, readRecipeOverrides } from '../project/read-config.ts';
import type { Edits } from '../queue/exchange/keep-mirror.ts';
import { recordGivenLearnings } from '../queue/learnings/given-learnings.ts';
import { closeQueue, openQueue } from '../queue/queue.ts';
import { knownGateResults } from '../queue/sessions/gate-results.ts';
import type { LiveSession } from '../queue/sessions/live-session.ts';
import { isLastAttempt } from '../queue/sessions/sessions.ts';
import { featureWork } from '../queue/tasks/features.ts';
import { show } from '../queue/tasks/show.ts';
import { RECIPES } from '../recipes/index.ts';
import { withOverride } from '../recipes/override.ts';
import { type Prompt, render } from '../recipes/render.ts';
import type { Backend } from '../server/binding.ts';
import type { ToolEffects } from '../tools/tool.ts';
import { beginSession } from './begin-session.ts';
import { requireNoEarlierWork } from './earlier-work.ts';
import { embedderFor } from './embedder.ts';
import { followQueue } from './mirror.ts';
import { findPlace, type Project, syncDefinitions } from './open-project.ts';
import { trustOf } from './trust.ts';
import type { ProjectContext } from './world.ts';

/** `planning`: the session that works on a copy of the queue, and not on the queue itself. */
export async function openBackend(context: ProjectContext, planning: string | null): Promise<Backend> {
  const place = await findPlace(context);
  keepOutOfGit(place);
  makePrivate(place.stateDir);
  const path =
    planning === null ? databasePath(place.stateDir) : requireCopy(copyPath(place.stateDir, planning));
  const queue = await openQueue(path, context.now, 'mcp', {
    mask: maskSecrets(context.env),
    mayCreate: !context.env['RALPH_SESSION_ID'],
    restoreWithin: planning === null ? stateOwner(place) : null,
  });
  const project: Project = { ...place, queue };
  await requireNoEarlierWork(context, project).catch(async (error) => {
    await closeQueue(queue);
    throw error;
  });
  const { root, stateDir } = place;
  const write = (name: RecipeName, input: GatherInput) => writePrompt(context, project, name, input);
  const follow = async (edits: Edits): Promise<void> => {
    const { sentence } = await followQueue(project, edits);
    if (sentence !== null) throw new Refusal(sentence);
  };
  const secrets = async () => secretMatcher((await readConfig(root)).knowledge.secrets);
  return {
    queue,
    root,
    writePrompt: write,
    secrets,
    search: async (query) =>
      search({ store: queue.store, root, stateDir, config: await readConfig(root) }, query),
    effects: toolMachine(context, project, write, secrets),
    storedPrompt: (session_id, recipe) => keptPrompt(stateDir, session_id, recipe),
    sync: async () => {
      await syncDefinitions(project);
      await follow('take');
    },
    afterChange: () => follow('set aside'),
  };
}

/** The prompt of a recipe, as `ralph prompt` shows it. */
export async function writePrompt(
  context: ProjectContext,
  project: Project,
  name: RecipeName,
  input: GatherInput,
  /** The one that counts, where that is not the one in the file. */
  config?: Config,
): Promise<Prompt> {
  const { root, stateDir, queue } = project;
  const place = { root, stateDir, env: context.env };
  const recipe = withOverride(RECIPES[name], (await readRecipeOverrides(root)).get(name));
  const rules = config ?? (await readConfig(root));
  const source = {
    store: queue.store,
    root,
    title: basename(root),
    config: rules,
    embedder: await embedderFor(context, project, rules),
    diffSince: (commit: string) => diffSince(place, commit),
    diffOf: (commit: string) => commitDiff(place, commit),
  };
  return maskValue(render(recipe, await gather(source, input)), queue.mask);
}

function toolMachine(
  context: ProjectContext,
  project: Project,
  write: ToolEffects['writePrompt'],
  secrets: ToolEffects['secrets'],
): ToolEffects {
  const { env } = context;
  const { root, stateDir } = project;
  const place = { root, env, stateDir };
  const notes: string[] = [];
  const committing = async () => ({ agentCommits: (await readConfig(root)).commit === 'agent' });
  const keepWork = async (session_id: string, task_id: number): Promise<void> => {
    const isLast = (): Promise<boolean> => isLastAttempt(project.queue, task_id, session_id);
    await saveUnfinished(place, { session_id, task_id, isLast }, null, await committing());
  };
  const verifiesFeatures = async () => (await readConfig(root)).verify_feature;
  return {
    identity: identify(process.pid),
    isAlive,
    trees: projectWorkTrees(project),
    newSessionId: () => crypto.randomUUID(),
    headCommit: () => headCommit({ root, env }),
    limits: async () => {
      const { max_attempts, limits } = await readConfig(root);
      return { max_attempts, stuck: limits.stuck };
    },
    looksUnchanged: (session_id) => looksUnchanged(place, session_id),
    requireProvable: () => requireTrust(context, project),
    ...createVerifier({
      place,
      rules: async () => {
        await requireTrust(context, project);
        return readConfig(root);
      },
      knownGates: (tree) => knownGateResults(project.queue, tree),
      secrets: {
        questions: async (task_id) => (await show(project.queue, task_id)).questions,
        allowed: async () => allowedMatcher((await readConfig(root)).secrets_allowed),
      },
      featureWork: async (live: LiveSession) => featureWork(project.queue, live, await verifiesFeatures()),
      onGateChanges: (changes) => void notes.push(`Note: ${gateChangesText(changes)}.`),
      onUnsigned: (reason) => void notes.push(`Note: ${unsignedText(reason)}.`),
    }),
    gateNotes: () => notes.splice(0),
    verifiesFeatures,
    commitsFeatures: async () => (await readConfig(root)).commit === 'feature',
    settled: async ({ task }, { status }) => {
      const keepTrees = (await readConfig(root)).commit === 'feature';
      if (status === 'done') await discardWork(place, task.id, { keepTrees });
    },
    writePrompt: write,
    // Nobody waits for it, and nothing depends on it: the next supervisor makes up for what is missing.
    writeJournal: async () => {
      const { writeMissingEntries } = await import('../supervisor/deferred-writes.ts');
      await writeMissingEntries({ ...project, config: await readConfig(root) });
    },
    begin: async (session_id, task_id, { system, prompt, learnings }) => {
      await recordGivenLearnings(project.queue, session_id, learnings);
      const folder = sessionDir(stateDir, session_id);
      await writeFileWhole(join(folder, 'system.md'), system, { mode: 0o600 });
      await writeFileWhole(join(folder, 'prompt.md'), prompt, { mode: 0o600 });
      await beginSession(place, project.queue, { session_id, task_id }, await committing());
    },
    saveUnfinished: ({ task, session }) => keepWork(session.id, task.id),
    keepWork,
    secrets,
  };
}

/** Nothing of a configuration that came with a clone runs before a person said so. */
async function requireTrust(context: ProjectContext, project: Project): Promise<void> {
  const { trusted } = await trustOf(context, project);
  if (!trusted)
    throw new Refusal(
      'The gates of this project are not trusted yet, so a done cannot be proven. Nothing was changed. Ask the person to run ralph trust, then say it again.',
    );
}

function requireCopy(path: string): string {
  if (!existsSync(path)) throw new Refusal('This planning session is over; nothing was changed.');
  return path;
}

export async function keptPrompt(
  stateDir: string,
  session_id: string,
  recipe: RecipeName,
): Promise<string | null> {
  const file = join(folderOf(stateDir, session_id, recipe), 'prompt.md');
  return existsSync(file) ? readFile(file, 'utf8') : null;
}

/** A review has a folder of its own within that of the session it looks at. */
function folderOf(stateDir: string, session_id: string, recipe: RecipeName): string {
  if (recipe === 'task_execution') return sessionDir(stateDir, session_id);
  if (recipe === 'opus_review') return join(sessionDir(stateDir, session_id), 'review');
  return planningDir(stateDir, session_id);
}
