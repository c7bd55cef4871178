// One agent process from start to end: its stream kept and understood, its limits held, nothing of it left behind.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { environmentFor } from '../domain/secrets/environment.ts';
import { maskSecrets } from '../domain/secrets/mask-secrets.ts';
import { overlapFor } from '../domain/secrets/piece-masker.ts';
import type { SessionLimit } from '../domain/sessions/session.ts';
import { writeFileWhole } from '../files/write-file.ts';
import { registerWork } from '../host/processes/at-work.ts';
import { endTree, killUntilDrained, type Marker } from '../host/processes/reap.ts';
import { type Environment, start } from '../host/processes/spawn.ts';
import type { Agent, Launch, LaunchSpec, Observation } from './agent.ts';
import { AgentStream } from './agents/agent-stream.ts';
import { PASSING } from './launch-spec.ts';
import { serverProblem } from './server-starts.ts';
import { type AgentEnd, heardOf, NOT_RUN } from './session-end.ts';

export type RunAgentOptions = {
  env: Environment;
  limits: { session_seconds: number; idle_seconds: number };
  /** Fires when a person wants the session ended now. */
  stop: AbortSignal;
  onObservation: (observation: Observation) => void;
  /** The task that it changes files for, and where its base is kept. */
  works?: { task_id: number; stateDir: string };
  /** Its process is there; what need not be done before may be done now. */
  onStart?: () => void;
  /** It is told to end now: by a person, a limit or a fault. */
  onEnding?: () => void;
};

/** After its result an agent has nothing to do but to end. */
const LINGER_MS = 10_000;

export async function runAgent(agent: Agent, plan: LaunchSpec, options: RunAgentOptions): Promise<AgentEnd> {
  const own = agent.needsServer ? plan.mcpServers['ralph'] : undefined;
  const problem = own === undefined ? null : await serverProblem(own, { cwd: plan.root, env: options.env });
  if (problem !== null) return { ...NOT_RUN, fault: 'mcp_lost', detail: problem };
  const launch = agent.launch(plan);
  await writeFiles(plan, launch);
  try {
    return await launched(agent, plan, launch, options);
  } finally {
    // They may name secrets, and nobody needs them any more.
    for (const name of Object.keys(launch.files)) await rm(join(plan.folder, name), { force: true });
  }
}

async function writeFiles({ folder }: LaunchSpec, { files }: Launch): Promise<void> {
  for (const [name, text] of Object.entries(files)) await writeFileWhole(join(folder, name), text, PASSING);
}

async function launched(
  agent: Agent,
  plan: LaunchSpec,
  launch: Launch,
  { env, limits, stop, works, onObservation, onStart, onEnding }: RunAgentOptions,
): Promise<AgentEnd> {
  const mask = { mask: maskSecrets(env), overlap: overlapFor(env) };
  const stream = new AgentStream(join(plan.folder, 'stream.jsonl'), mask);
  const marker: Marker = `RALPH_SESSION_ID=${plan.session_id}`;
  const [file = '', ...args] = launch.command;
  const { root, session_id } = plan;
  const work = registerWork(
    marker,
    works && { ...works, root, session_id, env: environmentFor('gate', env, []) },
  );
  const child = start(file, args, {
    cwd: plan.root,
    env: {
      ...environmentFor('agent', env, plan.passed),
      ...launch.env,
      ...plan.env,
      RALPH_PROJECT: plan.root,
      RALPH_SESSION_ID: plan.session_id,
    },
  });
  work.startedAs(child.pid);
  child.stdin.end(launch.stdin);
  onStart?.();

  let end = NOT_RUN;
  let ending: Promise<unknown> | null = null;
  let isOver = false;
  let lingering: NodeJS.Timeout | undefined;
  const finish = (): void => {
    // Once it is over its process id, and what carries its marker, may be somebody else's.
    if (isOver || ending !== null) return;
    onEnding?.();
    ending = endTree({ pid: child.pid, marker });
  };
  const clock = deadlines(limits, (limit) => {
    end = { ...end, limit: end.limit ?? limit };
    finish();
  });
  if (stop.aborted) finish();
  stop.addEventListener('abort', finish);

  const kept = stream.keep(child, {
    onOutput: clock.heard,
    onLine: (line) => {
      for (const observation of agent.observe(line)) {
        end = heardOf(end, observation);
        if (end.fault !== null && observation.kind !== 'result') finish();
        // The last of a long stream is read when its process has ended: nobody waits for more of it.
        if (observation.kind === 'result' && !isOver) lingering ??= setTimeout(finish, LINGER_MS);
        onObservation(observation);
      }
    },
    // An agent whose words are lost must not go on working.
    onFailure: ({ message: reason }) => {
      end = { ...end, fault: end.fault ?? 'machine_failed', hindrance: { kind: 'machine_failed', reason } };
      finish();
    },
  });
  const exit = await child.exited;
  isOver = true;
  clock.stop();
  clearTimeout(lingering);
  stop.removeEventListener('abort', finish);
  await ending;
  // What it left running in sessions of its own would go on changing files under the gates.
  await killUntilDrained(child, marker);
  await kept;
  work.over();
  const last_words = exit.code === 0 ? null : stream.lastErrors();
  return { ...end, exit_code: exit.code, error: exit.error, last_words };
}

/** Silence and the wall clock. */
function deadlines(
  { session_seconds, idle_seconds }: RunAgentOptions['limits'],
  onLimit: (limit: SessionLimit) => void,
): { heard(): void; stop(): void } {
  const wall = setTimeout(() => onLimit('time'), session_seconds * 1_000);
  let idle = setTimeout(() => onLimit('idle'), idle_seconds * 1_000);
  let isOver = false;
  return {
    heard: () => {
      if (isOver) return;
      clearTimeout(idle);
      idle = setTimeout(() => onLimit('idle'), idle_seconds * 1_000);
    },
    stop: () => {
      isOver = true;
      clearTimeout(wall);
      clearTimeout(idle);
    },
  };
}
