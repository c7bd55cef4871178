// Each check looks at one thing: it returns what it found, or throws a Refusal that says what to do.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readTrust } from '../../app/definitions/trust.ts';
import { type MissingProgram, missingProgram } from '../../app/missing-program.ts';
import { type Project, syncDefinitions, withQueue } from '../../app/open-project.ts';
import { embedderFor } from '../../app/sessions/prompt.ts';
import type { CommandContext } from '../../app/world.ts';
import { Refusal } from '../../domain/refusal.ts';
import { withheldVariables } from '../../domain/secrets/environment.ts';
import { findKnownAgent } from '../../domain/sessions/agent-names.ts';
import { agentNames, configuredAgents } from '../../domain/sessions/choose-agent.ts';
import { runsPackages } from '../../domain/sessions/gate.ts';
import { leftElsewhereText } from '../../domain/sessions/session.ts';
import { didYouMean } from '../../domain/text/did-you-mean.ts';
import { plural, visible } from '../../domain/text/text.ts';
import { findGit } from '../../host/git/git-directory.ts';
import { isAlive } from '../../host/processes/process-identity.ts';
import { findProject, projectWorkTrees } from '../../host/project.ts';
import { DEFINITION_NAMES, unreadFiles } from '../../project/definitions/definition-files.ts';
import { readRepository } from '../../project/init/repository.ts';
import { CONFIG_FILE, readConfig, readRecipeOverrides } from '../../project/read-config.ts';
import { checkHealth, repairCounters } from '../../queue/queue.ts';
import { sessionsLeftElsewhere } from '../../queue/sessions/runs.ts';
import { queueAgents } from '../../queue/sessions/task-agent.ts';
import { countTasks } from '../../queue/tasks/status.ts';
import { hooksText, repositoryHooks } from '../init/missing.ts';
import { checkLogin, checkRoot, checkServer, findAgentLogin, lastFailure } from './agent.ts';
import { checkEvidence, checkPostgres, checkSqlite } from './database.ts';
import { checkGithub } from './github.ts';
import { checkDisk, checkSandbox, checkStatePlace, isWalled } from './machine.ts';
import { checkGit, checkNode, readVersion } from './programs.ts';

/** If it is not ok, `detail` says what to do. */
export type Finding = { name: string; ok: boolean; detail: string };

const MAX_NAMED = 8;

export async function examine(context: CommandContext, fix: boolean): Promise<Finding[]> {
  const programs = [
    await check('node', async () => checkNode()),
    await check('sqlite', () => checkSqlite(context, fix)),
    await check('git', () => checkGit(context, () => worksInPlace(context))),
  ];
  const project = await check('project', async () => projectText(findProject(context.project).root));
  if (!project.ok) return [...programs, project];
  const { root } = findProject(context.project);
  const config = await check('config', () => checkConfig(root));
  const server = await check('server', () => checkServer(context, root));
  const state = await checkState(context, fix, config.ok);
  return [
    ...programs,
    project,
    server,
    await check('state', async () => checkStatePlace(context)),
    ...state.findings,
    config,
    ...(config.ok ? await checkConfigured(context, root, state.agents) : []),
  ];
}

/** The checks that need the database; the others run whether it opens or not. */
async function checkState(
  context: CommandContext,
  fix: boolean,
  isConfigured: boolean,
): Promise<{ findings: Finding[]; agents: readonly string[] | null }> {
  const findings: Finding[] = [];
  let agents: readonly string[] | null = null;
  const postgres = await check('postgresql', async () => (await checkPostgres(context)) ?? '');
  const database = await check('database', () =>
    withQueue(context, async (project) => {
      findings.push(await check('definitions', () => checkDefinitions(project)));
      findings.push(...(await unfinishedElsewhere(project)));
      findings.push(await check('evidence', () => checkEvidence(project)));
      if (isConfigured) {
        const config = await readConfig(project.root);
        agents = await queueAgents(project.queue, config);
        const failure = await lastFailure(project, config);
        if (failure !== null) findings.push({ name: 'last run', ok: false, detail: visible(failure) });
        findings.push(await check('trust', () => checkTrust(context, project)));
        findings.push(await check('embeddings', () => checkEmbeddings(context, project)));
        if (config.github.sync)
          findings.push(await check('github', () => checkGithub(context, project, config)));
      }
      return checkDatabase(project, fix);
    }),
  );
  return {
    findings: [...(postgres.ok && postgres.detail === '' ? [] : [postgres]), database, ...findings],
    agents,
  };
}

async function check(name: string, look: () => Promise<string>): Promise<Finding> {
  try {
    return { name, ok: true, detail: visible(await look()) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { name, ok: false, detail: visible(error.message) };
  }
}

/** False, too, if there is no project or its configuration is wrong: other checks say that. */
async function worksInPlace({ project }: CommandContext): Promise<boolean> {
  try {
    return (await readConfig(findProject(project).root)).in_place;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return false;
  }
}

const projectText = (root: string): string =>
  findGit(root) === null ? `${root}, in no git repository: nothing is committed there` : root;

async function checkDatabase({ queue, stateDir }: Project, fix: boolean): Promise<string> {
  const { integrity, miscounted } = await checkHealth(queue);
  const [problem] = integrity;
  if (problem !== undefined) throw new Refusal(`${problem}; put a backup from ${stateDir} in its place.`);
  if (miscounted.length === 0) return queue.store.path;
  if (!fix)
    throw new Refusal(`${plural(miscounted.length, 'task')} with a wrong counter; run ralph doctor --fix.`);
  await repairCounters(queue);
  return `the counters of ${plural(miscounted.length, 'task')} were repaired`;
}

async function checkDefinitions(project: Project): Promise<string> {
  await syncDefinitions(project);
  const [unread] = unreadFiles(project.root);
  if (unread !== undefined) {
    throw new Refusal(
      `Ralph does not read .ralph/${unread}${didYouMean(unread, DEFINITION_NAMES) || '; rename or remove it.'}`,
    );
  }
  return plural(await countTasks(project.queue), 'task');
}

/** Unfinished sessions of other work trees; no line if there are none. */
async function unfinishedElsewhere(project: Project): Promise<Finding[]> {
  const sessions = await sessionsLeftElsewhere(project.queue, isAlive, projectWorkTrees(project));
  return sessions.map((session) => ({
    name: 'sessions',
    ok: false,
    detail: visible(leftElsewhereText(session)),
  }));
}

async function checkConfig(root: string): Promise<string> {
  await readConfig(root);
  await readRecipeOverrides(root);
  return existsSync(join(root, CONFIG_FILE))
    ? CONFIG_FILE
    : `there is no ${CONFIG_FILE}: defaults throughout`;
}

/** The checks that need a valid configuration. `agents`: all that are in use; null if the database does not open. */
async function checkConfigured(
  context: CommandContext,
  root: string,
  agents: readonly string[] | null,
): Promise<Finding[]> {
  const { gates } = await readConfig(root);
  const none = `there is none, so every "done" is believed; add one to ${CONFIG_FILE}.`;
  return [
    ...(gates.length === 0 ? [{ name: 'gates', ok: false, detail: none }] : []),
    ...(await Promise.all(
      gates.map(({ name, command }) => check(`gate ${name}`, () => checkCommand(command, context, root))),
    )),
    ...(await checkAgents(context, root, agents)),
    await check('sandbox', async () => checkSandbox(context, await readConfig(root))),
    await check('disk', async () => checkDisk(context, (await readConfig(root)).slots)),
    await check('environment', () => checkEnvironment(context, root)),
    ...(await checkHooks(context, root)),
  ];
}

/** Never a failure: whether hooks judge a commit is the person's choice. No line if there are no hooks. */
async function checkHooks(context: CommandContext, root: string): Promise<Finding[]> {
  const hooks = await repositoryHooks(context, root);
  if (hooks === null) return [];
  const config = await readConfig(root);
  return [await check('hooks', async () => hooksText(hooks, config))];
}

/** Looks for the command and runs nothing of the project: a doctor must be safe on a repository that no person trusts yet. */
async function checkCommand(
  command: string | readonly string[],
  { env }: CommandContext,
  root: string,
): Promise<string> {
  const missing = await missingProgram(command, root, env);
  if (missing !== null) throw new Refusal(`${lackText(missing)}, or change ${CONFIG_FILE}.`);
  const line = typeof command === 'string' ? command.trim().replace(/\s+/g, ' ') : command.join(' ');
  const script = /^(?:npm|pnpm|yarn) (?:run )?(test|(?<=run )\w[\w:.-]*)(?: |$)/.exec(line)?.[1];
  // A command that runs in every package finds its scripts there.
  if (
    script !== undefined &&
    !runsPackages(line) &&
    readRepository(root).packageJson.scripts[script] === undefined
  ) {
    throw new Refusal(`package.json has no script "${script}"; add it, or change ${CONFIG_FILE}.`);
  }
  return line;
}

const lackText = ({ name, python }: MissingProgram): string =>
  python === null
    ? `${name} was not found; install it`
    : `${python} has no module ${name}; install it with ${python} -m pip install ${name}`;

async function checkTrust(context: CommandContext, project: Project): Promise<string> {
  const { lines, trusted } = await readTrust(context, project);
  if (trusted) return plural(lines.length, 'command');
  throw new Refusal('the commands of this configuration may not run yet; look at them with ralph trust.');
}

async function checkAgent(context: CommandContext, root: string, name: string): Promise<string> {
  const { agents } = await readConfig(root);
  const own = Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (own !== undefined) return `${name}: ${await checkCommand(own.command, context, root)}`;
  const knownNames = agentNames({ agents });
  if (!knownNames.includes(name))
    throw new Refusal(`a task or a discipline names it, but there are only ${knownNames.join(', ')}.`);
  const version = await readVersion(name, context);
  if (version !== null) return name === 'claude' ? version : `${name} ${version.replace(/^\D+/, '')}`;
  const what = name === 'claude' ? 'Claude Code' : 'it';
  throw new Refusal(
    `${name} was not found; install ${what} (${findKnownAgent(name)?.install}), or name another agent in ${CONFIG_FILE}.`,
  );
}

/** The agent of the project, and then each other one that its configuration, a discipline or an open task names. */
async function checkAgents(
  context: CommandContext,
  root: string,
  agents: readonly string[] | null,
): Promise<Finding[]> {
  const config = await readConfig(root);
  const findings: Finding[] = [];
  for (const name of agents ?? configuredAgents(config)) {
    const suffix = name === config.agent ? '' : ` ${name}`;
    const agent = await check(`agent${suffix}`, () => checkAgent(context, root, name));
    findings.push(agent);
    if (!agent.ok || Object.hasOwn(config.agents, name)) continue;
    const isClaude = name === 'claude';
    const login = () => (isClaude ? checkLogin(context, config) : findAgentLogin(name, context));
    findings.push(await check(`login${suffix}`, login));
    if (!isClaude) continue;
    const permissions = async () => checkRoot(context, config, await isWalled(context, config));
    findings.push(await check('permissions', permissions));
  }
  return findings;
}

/** Never a failure: only a person knows which variables a test needs. */
async function checkEnvironment({ env }: CommandContext, root: string): Promise<string> {
  const names = withheldVariables(env, (await readConfig(root)).env);
  if (names.length === 0) return 'agents and gates get every variable that they are likely to need';
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return `gates do not get ${names.slice(0, MAX_NAMED).join(', ')}${more}; if one is needed, name it under env in ${CONFIG_FILE}`;
}

/** Never a failure: the search by words finds most learnings. */
async function checkEmbeddings(context: CommandContext, project: Project): Promise<string> {
  const config = await readConfig(project.root);
  const { ollama_url: url, embedding_model: model } = config.knowledge;
  const embedder = await embedderFor(context, project, config);
  if (embedder === null) return `not used: ${url} is not trusted yet`;
  const [vector] = (await embedder.embed(['a word'])) ?? [];
  return vector === undefined
    ? `none: Ollama at ${url} does not give vectors of ${model} (${embedder.problem()}); Ralph ranks learnings by their words alone. To rank them by meaning, too, start Ollama there (ollama serve), and get the model with ollama pull ${model}`
    : `${model} at ${url}, ${vector.length} dimensions`;
}
