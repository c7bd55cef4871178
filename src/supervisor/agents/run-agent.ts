// One agent session from start to end: its login, its stream, and another question if it ended without its report.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { maskSecrets } from '../../domain/secrets/mask-secrets.ts';
import { overlapFor } from '../../domain/secrets/piece-masker.ts';
import { writeFileWhole } from '../../files/write-file.ts';
import { type LentLogins, lendLogins } from '../../host/sandbox/lent-logins.ts';
import { streamFile, TRANSIENT } from '../../host/session-folder.ts';
import type { Queue } from '../../queue/queue.ts';
import { createHooks, MAX_REMINDERS, type Reminder } from '../hooks.ts';
import type { SessionServer } from '../sessions/session-server.ts';
import type { Agent, Launch, Launchable, LaunchSpec } from './agent.ts';
import { AgentStream } from './agent-stream.ts';
import { watchRepeats } from './repeats.ts';
import { type ProcessOptions, runProcess } from './run-process.ts';
import { serverProblem } from './server-starts.ts';
import { type AgentEnd, failedBy, NOT_RUN } from './session-end.ts';

type RunAgentOptions = Omit<ProcessOptions, 'stream' | 'repeats' | 'hasLogin'> & {
  limits: { session_seconds: number; idle_seconds: number; repeats: number };
  /** Through which the agent reaches Ralph. */
  sessions: SessionServer;
  /** What its tools read and change. */
  queue: Queue;
  stateDir: string;
  /** What it has to report before it ends; null for nothing. */
  reminder: Reminder | null;
  /** Whether the agent changes files for a task: then repeated failing steps count. */
  isTask?: boolean;
};

export async function runAgent(agent: Agent, spec: LaunchSpec, options: RunAgentOptions): Promise<AgentEnd> {
  const { sessions, queue, stateDir, reminder, isTask = false, limits, env } = options;
  const repeats = isTask ? watchRepeats(limits.repeats) : null;
  const takeWarning = (): string | null => repeats?.takeWarning() ?? null;
  const offLimits = [stateDir];
  const answerHook = createHooks({ offLimits, reminder, takeWarning });
  return sessions.serve({ ...spec, queue, answerHook }, async (access) => {
    offLimits.push(access.folder);
    const problem = agent.needsServer ? await serverProblem(access.server, { cwd: spec.root, env }) : null;
    if (problem !== null) return { ...NOT_RUN, fault: 'mcp_lost', detail: problem };
    const launchable = { ...spec, access };
    const launch = agent.launch(launchable);
    const logins = await prepareFolder(access.folder, launch, env);
    const mask = { mask: maskSecrets(env), overlap: overlapFor(env) };
    const stream = new AgentStream(streamFile(spec.folder), mask);
    const begun = performance.now();
    const process = { ...options, stream, repeats, hasLogin: logins.isLent };
    let end = NOT_RUN;
    try {
      end = await runProcess(agent, launchable, launch, end, process);
      end = await askForReport(agent, launchable, end, process, begun);
    } finally {
      stream.close({ onFailure: ({ message }) => (end = failedBy(end, message)) });
      await logins.giveBack();
    }
    return end;
  });
}

/** What the agent finds in place of the person's own settings: files of Ralph's, and the person's login. */
async function prepareFolder(
  folder: string,
  { files, ownFolder, logins = {}, keysFirst = [] }: Launch,
  env: RunAgentOptions['env'],
): Promise<LentLogins> {
  const own = join(folder, ownFolder ?? '');
  await mkdir(own, { recursive: true, mode: 0o700 });
  for (const [name, text] of Object.entries(files)) await writeFileWhole(join(folder, name), text, TRANSIENT);
  const hasKey = keysFirst.some((name) => (env[name] ?? '') !== '');
  return lendLogins(own, hasKey ? {} : logins, env);
}

/** Resumes a session that ended well but without its report, as often as the hook of Claude Code asks. */
async function askForReport(
  agent: Agent,
  spec: Launchable,
  first: AgentEnd,
  { onStart: _, ...options }: RunAgentOptions & ProcessOptions,
  begun: number,
): Promise<AgentEnd> {
  const { reminder, stop, limits } = options;
  let end = first;
  for (let asked = 0; asked < MAX_REMINDERS; asked++) {
    const { client_session: id, exit_code, fault, limit, hindrance } = end;
    const hasEndedWell = exit_code === 0 && fault === null && limit === null && hindrance === null;
    if (agent.resume === undefined || reminder === null || id === null || !hasEndedWell || stop.aborted)
      return end;
    if (await reminder.isReported()) return end;
    const session_seconds = Math.max(0, limits.session_seconds - (performance.now() - begun) / 1_000);
    const launch = agent.resume(spec, id, reminder.text);
    end = await runProcess(agent, spec, launch, end, { ...options, limits: { ...limits, session_seconds } });
  }
  return end;
}
