// Runs one agent process from start to end: stores and parses its stream, enforces its limits, kills what it leaves behind.

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
import type { Queue } from '../../queue/queue.ts';
import { createHooks, type Reminder } from '../hooks.ts';
import type { SessionServer } from '../session-server.ts';
import type { Agent, Launch, Launchable, LaunchSpec, Observation } from './agent.ts';
import { AgentStream } from './agent-stream.ts';
import { type RepeatWatch, watchRepeats } from './repeats.ts';
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
  /** Through which the agent reaches Ralph. */
  sessions: SessionServer;
  /** What its tools read and change. */
  queue: Queue;
  stateDir: string;
  /** What it has to report before it ends; null for nothing. */
  reminder: Reminder | null;
  /** Whether the agent changes files for a task: then repeated failing steps count. */
  isTask?: boolean;
  /** Called once the process runs, for work that need not come before it. */
  onStart?: () => void;
  /** Called when a person, a limit or a fault ends the process. */
  onEnding?: () => void;
};

/** How long an agent may take to exit after its result. */
const LINGER_MS = 10_000;

export async function runAgent(agent: Agent, spec: LaunchSpec, options: RunAgentOptions): Promise<AgentEnd> {
  const { sessions, queue, stateDir, reminder, isTask = false, limits } = options;
  const repeats = isTask ? watchRepeats(limits.repeats) : null;
  const takeWarning = (): string | null => repeats?.takeWarning() ?? null;
  const offLimits = [stateDir];
  const answerHook = createHooks({ offLimits, reminder, takeWarning });
  return sessions.serve({ ...spec, queue, answerHook }, async (access) => {
    offLimits.push(access.folder);
    const place = { cwd: spec.root, env: options.env };
    const problem = agent.needsServer ? await serverProblem(access.server, place) : null;
    if (problem !== null) return { ...NOT_RUN, fault: 'mcp_lost', detail: problem };
    const launchable = { ...spec, access };
    const launch = agent.launch(launchable);
    for (const [name, text] of Object.entries(launch.files))
      await writeFileWhole(join(access.folder, name), text, TRANSIENT);
    return runLaunched(agent, launchable, launch, repeats, options);
  });
}

async function runLaunched(
  agent: Agent,
  spec: Launchable,
  launch: Launch,
  repeats: RepeatWatch | null,
  { env, limits, stop, enclosure, onObservation, onStart, onEnding }: RunAgentOptions,
): Promise<AgentEnd> {
  const mask = { mask: maskSecrets(env), overlap: overlapFor(env) };
  const stream = new AgentStream(streamFile(spec.folder), mask);
  const marker: Marker = `RALPH_SESSION_ID=${spec.session_id}`;
  const work = registerWork(marker);
  const child = await startEnclosed(enclosure, launch.command, {
    cwd: spec.root,
    mounts: [
      { kind: 'read', path: spec.access.folder },
      { kind: 'read', path: spec.access.socket },
    ],
    refusedFile: refusedFile(spec.folder),
    env: {
      ...environmentFor('agent', env, spec.envNames),
      ...launch.env,
      ...spec.env,
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
