// What the MCP server needs of this project and this machine, put together once somebody asks for it.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { RecipeName } from '../domain/context.ts';
import { NO_WORK } from '../domain/gate.ts';
import { Refusal } from '../domain/refusal.ts';
import { diffSince, headCommit } from '../host/git.ts';
import { identify, isAlive } from '../host/process-identity.ts';
import { databasePath, findProject, keepOutOfGit, sessionDir } from '../host/project.ts';
import { writeFileWhole } from '../host/write-file.ts';
import { type GatherInput, gather } from '../knowledge/gather.ts';
import { readConfig, readRecipeOverrides } from '../knowledge/read-config.ts';
import { secretMatcher } from '../knowledge/secrets.ts';
import { openQueue, type Queue } from '../queue/queue.ts';
import { RECIPES } from '../recipes/index.ts';
import { withOverride } from '../recipes/override.ts';
import { type Prompt, render } from '../recipes/render.ts';
import type { Office } from '../server/face.ts';
import type { ToolMachine } from '../tools/tool.ts';
import type { CommandContext } from './command.ts';
import { type Project, syncDefinitions } from './project.ts';

export async function openOffice(context: CommandContext): Promise<Office> {
  const place = findProject(context.project);
  keepOutOfGit(place);
  const queue = await openQueue(databasePath(place.stateDir), context.now);
  const project: Project = { ...place, queue };
  const { root, stateDir } = place;
  const write = (name: RecipeName, input: GatherInput) => writePrompt(context, project, name, input);
  const secrets = async () => secretMatcher((await readConfig(root)).knowledge.secrets);
  return {
    queue,
    root,
    writePrompt: write,
    secrets,
    machine: toolMachine(context, project, write, secrets),
    keptPrompt: (session_id) => keptPrompt(stateDir, session_id),
    sync: () => syncDefinitions(project),
  };
}

/** The prompt of a recipe, as `ralph prompt` shows it. */
export async function writePrompt(
  { env }: Pick<CommandContext, 'env'>,
  { root, queue }: { root: string; queue: Queue },
  name: RecipeName,
  input: GatherInput,
): Promise<Prompt> {
  const recipe = withOverride(RECIPES[name], (await readRecipeOverrides(root)).get(name));
  const source = {
    store: queue.store,
    root,
    title: basename(root),
    config: await readConfig(root),
    diffSince: (commit: string) => diffSince({ root, env }, commit),
  };
  return render(recipe, await gather(source, input));
}

function toolMachine(
  { env }: CommandContext,
  { root, stateDir }: Project,
  write: ToolMachine['writePrompt'],
  secrets: ToolMachine['secrets'],
): ToolMachine {
  const requireProvable = async (): Promise<void> => {
    const { gates } = await readConfig(root);
    if (gates.length === 0) return;
    throw new Refusal(
      `This project proves a done with gates (${gates.map(({ name }) => name).join(', ')}), and a session without a supervisor cannot run them yet. Nothing was changed. Call partial, and say in remaining that the work waits to be proven.`,
    );
  };
  return {
    identity: identify(process.pid),
    isAlive,
    newSessionId: () => crypto.randomUUID(),
    headCommit: () => headCommit({ root, env }),
    limits: async () => {
      const { max_attempts, limits } = await readConfig(root);
      return { max_attempts, stuck: limits.stuck };
    },
    requireProvable,
    runGates: async () => {
      await requireProvable();
      return [];
    },
    // The person at the client decides what becomes of the work tree.
    commit: async () => NO_WORK,
    writePrompt: write,
    keepPrompt: async (session_id, { system, prompt }) => {
      const folder = sessionDir(stateDir, session_id);
      await writeFileWhole(join(folder, 'system.md'), system, 0o600);
      await writeFileWhole(join(folder, 'prompt.md'), prompt, 0o600);
    },
    secrets,
  };
}

async function keptPrompt(stateDir: string, session_id: string): Promise<string | null> {
  const file = join(sessionDir(stateDir, session_id), 'prompt.md');
  return existsSync(file) ? readFile(file, 'utf8') : null;
}
