// The queue of the project in which Claude Code was started. What has no queue yet gets none: a person only opened a session there.
import { existsSync } from 'node:fs';
import type { CommandContext } from '../../app/world.ts';
import { type Json, parseJsonLine, textOrNull } from '../../domain/transcript/json.ts';
import { databasePath, databaseRecord, findProject } from '../../host/project.ts';
import { databaseStamp, readSummary } from '../../host/status-line.ts';
import { closeQueue, openQueue, type Queue } from '../../queue/queue.ts';

export type ClientContext = Pick<CommandContext, 'project' | 'cwd' | 'env' | 'now'>;

/** What Claude Code writes to the standard input of a hook; empty if a person typed the command. */
export async function readInput({ pipes: { stdin } }: Pick<CommandContext, 'pipes'>): Promise<Json> {
  if (stdin.isTTY === true) return {};
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return parseJsonLine(Buffer.concat(chunks).toString('utf8')) ?? {};
}

/** A project that the person named counts more than the folder of the client. */
export const withFolder = <Context extends ClientContext>(context: Context, input: Json): Context => ({
  ...context,
  project: context.project === context.cwd ? (textOrNull(input['cwd']) ?? context.cwd) : context.project,
});

/** Whether the queue is on PostgreSQL. */
const isSharedQueue = (env: ClientContext['env'], stateDir: string): boolean =>
  Boolean(env['RALPH_DATABASE_URL']) || existsSync(databaseRecord(stateDir));

/** What this machine last read of a shared queue. Null for any other queue, and outside of a project. */
export function readSharedQueue({ project, env }: ClientContext): SharedQueue | null {
  if (env['RALPH_SESSION_ID']) return null;
  try {
    const { stateDir } = findProject(project);
    return isSharedQueue(env, stateDir) ? { last: readSummary(stateDir) } : null;
  } catch {
    return null;
  }
}

/** `last`: null if this machine has not read the queue yet. */
type SharedQueue = { last: ReturnType<typeof readSummary> };

/**
 * Null where there is no queue, or where this is a session that Ralph launched. Any failure is null as well: the person is at work
 * on something else, and `ralph status` explains it.
 */
export async function withExistingQueue<T>(
  { project, env, now }: ClientContext,
  work: (queue: Queue, before: { stateDir: string; stamp: string }) => Promise<T>,
): Promise<T | null> {
  if (env['RALPH_SESSION_ID']) return null;
  try {
    const { stateDir } = findProject(project);
    // Never the file that a queue on PostgreSQL left behind: its numbers are old. And a network takes too long.
    if (isSharedQueue(env, stateDir) || !existsSync(databasePath(stateDir))) return null;
    // Before it is opened: that alone may make a file.
    const stamp = databaseStamp(stateDir);
    const queue = await openQueue(databasePath(stateDir), now, 'cli', { mayCreate: false });
    try {
      return await work(queue, { stateDir, stamp });
    } finally {
      await closeQueue(queue);
    }
  } catch {
    return null;
  }
}
