// One process of an agent from start to end: stores and parses its stream, enforces its limits, kills what it leaves behind.

import { join } from 'node:path';
import { environmentFor } from '../../domain/secrets/environment.ts';
import type { SessionLimit } from '../../domain/sessions/session.ts';
import { registerWork } from '../../host/processes/at-work.ts';
import { endTree, killUntilDrained, type Marker } from '../../host/processes/reap.ts';
import type { Environment } from '../../host/processes/spawn.ts';
import type { Mount } from '../../host/sandbox/bwrap.ts';
import type { Enclosure } from '../../host/sandbox/sandbox.ts';
import { startEnclosed } from '../../host/sandbox/start-enclosed.ts';
import { refusedFile } from '../../host/session-folder.ts';
import type { Agent, Launch, Launchable, Observation } from './agent.ts';
import type { AgentStream } from './agent-stream.ts';
import type { RepeatWatch } from './repeats.ts';
import { type AgentEnd, applyObservation, failedBy } from './session-end.ts';

export type ProcessOptions = {
  env: Environment;
  limits: { session_seconds: number; idle_seconds: number };
  /** Fires when a person wants the session ended now. */
  stop: AbortSignal;
  stream: AgentStream;
  repeats: RepeatWatch | null;
  /** Whether the agent has a login of the person's. */
  hasLogin: boolean;
  onObservation: (observation: Observation) => void;
  /** Without it the agent runs as it is. */
  enclosure?: Enclosure | null;
  /** Called once the process runs, for work that need not come before it. */
  onStart?: () => void;
  /** Called when a person, a limit or a fault ends the process. */
  onEnding?: () => void;
};

/** How long an agent may take to exit after its result. */
const LINGER_MS = 10_000;

/** `before`: how earlier processes of the session ended; this one adds to it. */
export async function runProcess(
  agent: Agent,
  spec: Launchable,
  launch: Launch,
  before: AgentEnd,
  options: ProcessOptions,
): Promise<AgentEnd> {
  const { env, limits, stop, stream, repeats, enclosure, onObservation, onStart, onEnding } = options;
  const marker: Marker = `RALPH_SESSION_ID=${spec.session_id}`;
  const work = registerWork(marker);
  const begun = performance.now();
  const child = await startEnclosed(enclosure, launch.command, {
    cwd: spec.root,
    mounts: mountsFor(spec, launch),
    refusedFile: refusedFile(spec.folder),
    env: {
      ...(options.hasLogin ? launch.loginVariables : renamedKeys(launch, env)),
      ...environmentFor('agent', env, [...spec.envNames, ...(agent.variables ?? [])]),
      ...launch.env,
      ...spec.env,
      RALPH_SESSION_ID: spec.session_id,
    },
  });
  work.startedAs(child.pid);
  child.stdin.end(launch.stdin);
  onStart?.();

  let end = before;
  let ending: Promise<unknown> | null = null;
  let isOver = false;
  let lingering: NodeJS.Timeout | undefined;
  let hasLingered = false;
  const finish = (): void => {
    // After the exit, its process id and its marker may belong to another process.
    if (isOver || ending !== null) return;
    onEnding?.();
    ending = endTree({ pid: child.pid, marker, isWalled: child.isWalled });
  };
  const endAt = (limit: SessionLimit, detail = end.detail): void => {
    if (end.limit === null) end = { ...end, limit, detail };
    finish();
  };
  const endLingering = (): void => {
    hasLingered = ending === null;
    finish();
  };
  const clock = deadlines(limits, endAt);
  if (stop.aborted) finish();
  stop.addEventListener('abort', finish);

  const apply = (observation: Observation): void => {
    end = applyObservation(end, observation);
    const step = repeats?.observe(observation) ?? null;
    if (step !== null && end.limit === null) endAt('repeats', step);
    const limit = agent.keepsLimits ? null : limitReached(end, spec);
    if (limit !== null) endAt(limit);
    if (end.fault !== null && observation.kind !== 'result') finish();
    // The end of a long stream is read after its process has exited: there is nothing left to wait for.
    if (observation.kind === 'result' && !isOver) lingering ??= setTimeout(endLingering, LINGER_MS);
    onObservation(observation);
  };
  const stored = stream.keep(child, {
    onOutput: clock.restartIdle,
    onLine: (line) => agent.observe(line).forEach(apply),
    onErrorLine:
      agent.observeError === undefined ? undefined : (line) => agent.observeError?.(line).forEach(apply),
    // An agent whose output is lost must not go on working.
    onFailure: ({ message }) => {
      end = failedBy(end, message);
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
  await killUntilDrained(child, marker, begun);
  await stored;
  work.over();
  // An agent that Ralph had to end after a good result has ended well: it may still be asked for its report.
  const exit_code = hasLingered && end.fault === null && end.failure === null ? 0 : exit.code;
  const last_words = exit_code === 0 ? null : stream.lastErrors();
  return explained(agent, stream, { ...end, exit_code, error: exit.error, last_words });
}

function mountsFor({ access }: Launchable, { ownFolder }: Launch): Mount[] {
  return [
    { kind: 'read', path: access.folder },
    ...(ownFolder === undefined ? [] : [{ kind: 'write' as const, path: join(access.folder, ownFolder) }]),
    { kind: 'read', path: access.socket },
  ];
}

const renamedKeys = ({ keys = {} }: Launch, env: Environment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(keys).flatMap(([name, from]) => {
      const value = env[from];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** For an agent that does not keep to its limits by itself. */
function limitReached(
  { answers, usage }: AgentEnd,
  { max_turns, budget_usd }: Launchable,
): SessionLimit | null {
  if (answers > max_turns) return 'turns';
  return usage.cost_usd > 0 && usage.cost_usd >= budget_usd ? 'budget' : null;
}

/** Asks the adapter what a failure means that the stream does not explain. */
function explained(agent: Agent, stream: AgentStream, end: AgentEnd): AgentEnd {
  const isUnclear =
    end.limit === 'idle' || end.limit === 'time' || (end.exit_code !== 0 && end.limit === null);
  if (agent.explain === undefined || end.fault !== null || !isUnclear) return end;
  const fault = agent.explain({ exit_code: end.exit_code, errors: stream.lastText() });
  const detail = end.failure?.detail ?? stream.lastErrors();
  return fault === null ? end : { ...end, fault, detail };
}

/** Two deadlines: one for silence, one for the whole session. */
function deadlines(
  { session_seconds, idle_seconds }: ProcessOptions['limits'],
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
