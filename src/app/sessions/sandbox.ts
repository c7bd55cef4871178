// Chooses how far agents and gates of a project are kept from the machine, and opens that sandbox.
import { join } from 'node:path';
import { type Config, SANDBOX_LEVELS, type SandboxLevel } from '../../domain/config.ts';
import { Refusal } from '../../domain/refusal.ts';
import { findKnownAgent } from '../../domain/sessions/agent-names.ts';
import { configuredAgents } from '../../domain/sessions/choose-agent.ts';
import { findExecutable } from '../../host/processes/find-executable.ts';
import type { Environment } from '../../host/processes/spawn.ts';
import { isBelow } from '../../host/sandbox/guarded.ts';
import { modelHosts, projectHosts, settingHosts } from '../../host/sandbox/known-hosts.ts';
import { type Probe, probeProcess } from '../../host/sandbox/probe.ts';
import { openSandbox, type Sandbox } from '../../host/sandbox/sandbox.ts';
import { pathAtHome } from '../../host/sandbox/wall.ts';
import { queueAgents } from '../../queue/sessions/task-agent.ts';
import { stateHome } from '../definitions/trust.ts';
import type { Project } from '../open-project.ts';
import type { World } from '../world.ts';
import { slotsFolder } from './slots.ts';

type ChosenLevel = {
  level: SandboxLevel;
  /** Why it is not `process`, if the person did not ask for less. */
  notice: string | null;
};

type Choice = {
  /** Null if the person named no level. */
  asked: SandboxLevel | null;
  /** Only Claude Code has a sandbox of its own. */
  isClaude: boolean;
  process: Probe;
  bash: Probe;
};

export function chooseLevel({ asked, isClaude, process, bash }: Choice): ChosenLevel {
  if (asked === 'process' && !process.works)
    throw new Refusal(`The sandbox "process" does not work here: ${process.reason}. ${process.fix}`);
  if (asked === 'bash' && !isClaude)
    throw new Refusal(
      'The sandbox "bash" belongs to Claude Code; with another agent use process, command or off.',
    );
  if (asked === 'bash' && !bash.works)
    throw new Refusal(`The sandbox "bash" does not work here: ${bash.reason}. ${bash.fix}`);
  if (asked !== null) return { level: asked, notice: null };
  if (process.works) return { level: 'process', notice: null };
  const level = isClaude && bash.works ? 'bash' : 'off';
  const what =
    level === 'bash'
      ? 'Only the commands of agents run in a sandbox (bash), not their clients and the gates'
      : 'Agents and gates run without a sandbox';
  return { level, notice: `${what}, because ${process.reason}. ${process.fix}` };
}

/** Where the configuration names no level, the person may: `RALPH_SANDBOX=off ralph run`. */
export function askedLevel({ sandbox }: Pick<Config, 'sandbox'>, env: World['env']): SandboxLevel | null {
  const named = env['RALPH_SANDBOX'];
  if (sandbox.level !== null || named === undefined || named === '') return sandbox.level;
  const level = SANDBOX_LEVELS.find((one) => one === named && one !== 'command');
  if (level === undefined) throw new Refusal(`RALPH_SANDBOX is "${named}"; there are off, bash and process.`);
  return level;
}

/** Claude Code's own sandbox needs two programs on Linux, and nothing on macOS. */
export function probeBash(env: World['env'], wall: Probe, platform: string = process.platform): Probe {
  if (platform === 'darwin') return { works: true };
  if (platform !== 'linux' || !wall.works) return wall;
  if (findExecutable('socat', env['PATH']) !== null) return { works: true };
  return { works: false, reason: 'socat is not installed', fix: 'Install the package socat.' };
}

/** `agents`: those that the configuration names, and those that the queue does. */
export async function readLevel(
  env: World['env'],
  config: Config,
  agents: readonly string[] = configuredAgents(config),
): Promise<ChosenLevel> {
  const asked = askedLevel(config, env);
  if (asked === 'off' || asked === 'command') return { level: asked, notice: null };
  const wall = await probeProcess(env);
  const isClaude = agents.every((name) => name === 'claude');
  return chooseLevel({ asked, isClaude, process: wall, bash: probeBash(env, wall) });
}

/** Where agents reach their models. */
export function agentHosts(
  env: Environment,
  { agent_settings }: Pick<Config, 'agent_settings'>,
  agents: readonly string[],
): string[] {
  const knownAgents = agents.flatMap((name) => findKnownAgent(name) ?? []);
  const named = knownAgents.flatMap(({ addresses }) => addresses.flatMap((name) => env[name] ?? []));
  return [...knownAgents.flatMap(({ hosts }) => hosts), ...settingHosts([agent_settings, named])];
}

type OpenedSandbox = {
  sandbox: Sandbox;
  /** For the person, if it is less than they may expect. */
  notice: string | null;
  /** Whether an agent can change `.ralph` in the checkout. In place it is read-only, and planning only reads. */
  agentsCanWriteHere: boolean;
};

export async function openProjectSandbox(
  { env, program }: Pick<World, 'env' | 'program'>,
  project: Pick<Project, 'root' | 'stateDir' | 'queue'>,
  config: Config,
): Promise<OpenedSandbox> {
  const { root, stateDir } = project;
  const agents = await queueAgents(project.queue, config);
  const { level, notice } = await readLevel(env, config, agents);
  const isListed = level === 'process' || level === 'bash';
  const knownHosts = isListed ? projectHosts(root, env) : [];
  const sandbox = openSandbox({
    level,
    config: config.sandbox,
    env,
    guarded: {
      repository: { root, env, stateDir },
      ralphState: join(stateHome(env), 'ralph'),
      slotsFolder: slotsFolder(env, project, config.slots),
    },
    program,
    hosts: {
      agent: [...modelHosts(env), ...agentHosts(env, config, agents), ...knownHosts],
      gate: knownHosts,
    },
  });
  const definitions = join(root, '.ralph');
  const isNamed = config.sandbox.write
    .map((path) => pathAtHome(path, env))
    .some((path) => isBelow(path, definitions) || isBelow(definitions, path));
  return { sandbox, notice, agentsCanWriteHere: level !== 'process' || isNamed };
}
