// Checks whether the agent can work: its login, its permissions, and its last failure.
import type { Project } from '../../app/open-project.ts';
import type { CommandContext } from '../../app/world.ts';
import type { Config } from '../../domain/config.ts';
import { Refusal } from '../../domain/refusal.ts';
import { environmentFor } from '../../domain/secrets/environment.ts';
import { findFailure } from '../../domain/sessions/agent-failure.ts';
import { findKnownAgent } from '../../domain/sessions/agent-names.ts';
import { localTime } from '../../domain/text/amounts.ts';
import { asObject, parseJsonLine } from '../../domain/transcript/json.ts';
import { findExecutable } from '../../host/processes/find-executable.ts';
import { runToEnd } from '../../host/processes/spawn.ts';
import { findLogin } from '../../host/sandbox/lent-logins.ts';
import { listSessions } from '../../queue/sessions/sessions.ts';
import { taskAgent } from '../../queue/sessions/task-agent.ts';
import { getTask } from '../../queue/tasks/list.ts';

const LOGIN_TIMEOUT_MS = 20_000;

/** Asks Claude Code, with the environment of a session. Runs it outside of the project, whose settings may not be trusted. */
export async function checkLogin({ env }: CommandContext, config: Pick<Config, 'env'>): Promise<string> {
  const executable = findExecutable('claude', env['PATH']);
  if (executable === null) throw new Refusal('claude was not found.');
  const { stdout } = await runToEnd(executable, ['auth', 'status', '--json'], {
    cwd: '/',
    env: environmentFor('agent', env, config.env),
    timeoutMs: LOGIN_TIMEOUT_MS,
  });
  const { loggedIn, authMethod } = asObject(parseJsonLine(stdout.replaceAll('\n', ' ')));
  if (loggedIn === false)
    throw new Refusal(
      'Claude Code is not logged in; start claude once and type /login, or set ANTHROPIC_API_KEY.',
    );
  if (loggedIn !== true) return 'unknown: this version of Claude Code does not report it';
  return typeof authMethod === 'string' ? authMethod.replaceAll('_', ' ') : 'yes';
}

/** The key or the file with which an agent of Ralph's other than Claude Code would log in. Nothing is started. */
export async function findAgentLogin(name: string, { env }: Pick<CommandContext, 'env'>): Promise<string> {
  const knownAgent = findKnownAgent(name);
  if (knownAgent === null) return 'unknown';
  const key = knownAgent.keys.find((one) => (env[one] ?? '') !== '');
  if (key !== undefined && knownAgent.prefersKey) return key;
  const login = await findLogin(knownAgent.logins, env);
  if (login !== null && (knownAgent.loginMark?.test(login.content.toString()) ?? true))
    return 'login of the person';
  if (key !== undefined) return key;
  throw new Refusal(`${name} has no login. ${knownAgent.login}.`);
}

/** Claude Code refuses to bypass permissions as root unless IS_SANDBOX says that this is a container. */
export function checkRoot(
  { env }: Pick<CommandContext, 'env'>,
  { permissions }: Pick<Config, 'permissions'>,
  /** Whether Ralph encloses the client, and tells it so. */
  isEnclosed = false,
  user = process.getuid?.(),
): string {
  if (user !== 0 || permissions !== 'bypassPermissions') return permissions;
  if (isEnclosed) return `${permissions}, in the sandbox`;
  if (env['IS_SANDBOX'] === '1') return `${permissions}, in a container (IS_SANDBOX=1)`;
  throw new Refusal(
    `Claude Code does not run as root with ${permissions}; use another user, set permissions: acceptEdits in .ralph/config.yaml, or, in a container, set IS_SANDBOX=1.`,
  );
}

/** Starts the MCP server as a client would. */
export async function checkServer(
  { env, program }: Pick<CommandContext, 'env' | 'program'>,
  root: string,
): Promise<string> {
  const { ownServer } = await import('../../supervisor/agents/launch-spec.ts');
  const { serverProblem } = await import('../../supervisor/agents/server-starts.ts');
  const entry = ownServer({ root, ralph: [program.node, program.script] }, {});
  const problem = await serverProblem(entry, { cwd: root, env });
  if (problem === null) return 'ralph serve answers';
  throw new Refusal(`ralph serve does not start (${problem}); install Ralph again.`);
}

/** What a person has to repair before the next session, as the last session showed; null if nothing. */
export async function lastFailure({ queue }: Project, config: Config): Promise<string | null> {
  const [last] = (await listSessions(queue, {}, 1)).sessions;
  const end = last?.end ?? null;
  if (last === undefined || end?.kind !== 'infrastructure') return null;
  // A person's client that disconnects ends this way, too; other checks start the server and the agent.
  if (end.fault === 'mcp_lost' || end.fault === 'cannot_start') return null;
  const failure = findFailure(end.fault);
  if (failure?.policy !== 'stop') return null;
  const { agent } = await taskAgent(queue, config, await getTask(queue, last.task_id));
  const sentence = failure.sentence({ agent, command: 'ralph run', detail: end.detail ?? null });
  return `Seen in the last session, at ${localTime(last.ended ?? last.started)}: ${sentence}`;
}
