// Runs one agent process from start to end: stores and parses its stream, enforces its limits, kills what it leaves behind.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { environmentFor } from '../../domain/secrets/environment.ts';
import { maskSecrets } from '../../domain/secrets/mask-secrets.ts';
import { overlapFor } from '../../domain/secrets/piece-masker.ts';
import type { SessionLimit } from '../../domain/sessions/session.ts';
import { writeFileWhole } from '../../files/write-file.ts';
import { registerWork } from '../../host/processes/at-work.ts';
import { endTree, killUntilDrained, type Marker } from '../../host/processes/reap.ts';
import type { Environment } from '../../host/processes/spawn.ts';
import type { Enclosure } from '../../host/sandbox/sandbox.ts';
import { startEnclosed } from '../../host/sandbox/start-enclosed.ts';
import { refusedFile, streamFile, TRANSIENT } from '../../host/session-folder.ts';
import type { Agent, Launch, LaunchSpec, Observation } from './agent.ts';
import { AgentStream } from './agent-stream.ts';
import { watchRepeats } from './repeats.ts';
import { serverProblem } from './server-starts.ts';
import { type AgentEnd, applyObservation, NOT_RUN } from './session-end.ts';

export type RunAgentOptions = {
  env: Environment;
  limits: { session_seconds: number; idle_seconds: number; repeats: number };
  /** Fires when a person wants the session ended now. */
  stop: AbortSignal;
  onObservation: (observation: Observation) => void;
  /** Without it the agent runs as it is. */
  enclosure?: Enclosure | null;
  /** The task that the agent changes files for, and where Ralph stores its base. */
  taskWork?: { task_id: number; stateDir: string };
  /** Called once the process runs, for work that need not come before it. */
  onStart?: () => void;
  /** Called when a person, a limit or a fault ends the process. */
  onEnding?: () => void;
};

/** How long an agent may take to exit after its result. */
const LINGER_MS = 10_000;

export async function runAgent(agent: Agent, spec: LaunchSpec, options: RunAgentOptions): Promise<AgentEnd> {
  const own = agent.needsServer ? spec.mcpServers['ralph'] : undefined;
  const problem = own === undefined ? null : await serverProblem(own, { cwd: spec.root, env: options.env });
  if (problem !== null) return { ...NOT_RUN, fault: 'mcp_lost', detail: problem };
  const launch = agent.launch(spec);
  await writeFiles(spec, launch);
  try {
    return await runLaunched(agent, spec, launch, options);
  } finally {
    // They may contain secrets, and no process needs them any more.
    for (const name of Object.keys(launch.files)) await rm(join(spec.folder, name), { force: true });
  }
}

async function writeFiles({ folder }: LaunchSpec, { files }: Launch): Promise<void> {
  for (const [name, text] of Object.entries(files)) await writeFileWhole(join(folder, name), text, TRANSIENT);
}

async function runLaunched(
  agent: Agent,
  spec: LaunchSpec,
  launch: Launch,
  { env, limits, stop, taskWork, enclosure, onObservation, onStart, onEnding }: RunAgentOptions,
): Promise<AgentEnd> {
  const mask = { mask: maskSecrets(env), overlap: overlapFor(env) };
  const stream = new AgentStream(streamFile(spec.folder), mask);
  const marker: Marker = `RALPH_SESSION_ID=${spec.session_id}`;
  const { root, session_id } = spec;
  const work = registerWork(
    marker,
    taskWork && { ...taskWork, root, session_id, env: environmentFor('gate', env, []) },
  );
  const child = await startEnclosed(enclosure, launch.command, {
    cwd: spec.root,
    mounts: [{ kind: 'read', path: spec.folder }],
    refusedFile: refusedFile(spec.folder),
    env: {
      ...environmentFor('agent', env, spec.envNames),
      ...launch.env,
      ...spec.env,
      RALPH_PROJECT: spec.project,
      RALPH_SESSION_ID: spec.session_id,
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
    // After the exit, its process id and its marker may belong to another process.
    if (isOver || ending !== null) return;
    onEnding?.();
    ending = endTree({ pid: child.pid, marker, isWalled: child.isWalled });
  };
  const clock = deadlines(limits, (limit) => {
    end = { ...end, limit: end.limit ?? limit };
    finish();
  });
  if (stop.aborted) finish();
  stop.addEventListener('abort', finish);

  const repeats = taskWork === undefined ? null : watchRepeats(spec.folder, limits.repeats);
  const stored = stream.keep(child, {
    onOutput: clock.restartIdle,
    onLine: (line) => {
      for (const observation of agent.observe(line)) {
        end = applyObservation(end, observation);
        const step = repeats?.observe(observation) ?? null;
        if (step !== null && end.limit === null) {
          end = { ...end, limit: 'repeats', detail: step };
          finish();
        }
        if (end.fault !== null && observation.kind !== 'result') finish();
        // The end of a long stream is read after its process has exited: there is nothing left to wait for.
        if (observation.kind === 'result' && !isOver) lingering ??= setTimeout(finish, LINGER_MS);
        onObservation(observation);
      }
    },
    // An agent whose output is lost must not go on working.
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
  // Processes that it detached would go on changing files while the gates run.
  await killUntilDrained(child, marker);
  await stored;
  await repeats?.written();
  work.over();
  const last_words = exit.code === 0 ? null : stream.lastErrors();
  return { ...end, exit_code: exit.code, error: exit.error, last_words };
}

/** Two deadlines: one for silence, one for the whole session. */
function deadlines(
  { session_seconds, idle_seconds }: RunAgentOptions['limits'],
  onLimit: (limit: SessionLimit) => void,
): { restartIdle(): void; stop(): void } {
  const wall = setTimeout(() => onLimit('time'), session_seconds * 1_000);
  let idle = setTimeout(() => onLimit('idle'), idle_seconds * 1_000);
  let isOver = false;
  return {
    restartIdle: () => {
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
