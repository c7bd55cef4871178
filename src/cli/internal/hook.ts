// `ralph hook stop|guard`: Claude Code asks before it ends a turn or uses a tool. Not for people, so not among the commands.
// Claude Code asks the guard before every use of a tool, so this file imports only what the guard needs.
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { World } from '../../app/world.ts';
import { isOffLimits, isShellOffLimits } from '../../domain/sessions/off-limits.ts';
import { findProject } from '../../host/project.ts';
import { repeatFile, sessionDir } from '../../host/session-folder.ts';

/** Exit code 2 sends the text to the model, and the turn goes on; 0 allows what Claude Code asks for. */
export type HookAnswer = { exitCode: 0 | 2; text: string };

export const ALLOW: HookAnswer = { exitCode: 0, text: '' };

export async function answerHook(
  name: string | undefined,
  { env, pipes }: Pick<World, 'env'> & { pipes: Pick<World['pipes'], 'stdin'> },
): Promise<HookAnswer> {
  const { RALPH_PROJECT: root, RALPH_SESSION_ID: session_id } = env;
  const input = await text(pipes.stdin);
  if (root === undefined || session_id === undefined) return ALLOW;
  if (name === 'guard') return guard(input, root, session_id);
  if (name !== 'stop') return ALLOW;
  const { remindOfVerb, remindOfVerdict } = await import('./hook-stop.ts');
  const recipe = env['RALPH_RECIPE'] ?? 'task_execution';
  if (recipe === 'opus_review') return remindOfVerdict(root, session_id, Number(env['RALPH_REVIEWS_BEFORE']));
  // A planning session has no closing verb: its result is what it proposed.
  return recipe === 'task_execution' ? remindOfVerb(root, session_id) : ALLOW;
}

/**
 * Refuses what touches Ralph's own files: Claude Code's deny rules do not look into a shell line. Refuses once the step of an agent
 * that repeats itself.
 */
function guard(input: string, root: string, session_id: string): HookAnswer {
  const { tool_input: args = {} } = parse(input);
  const { stateDir } = findProject(root);
  const command = args['command'];
  const files = [args['file_path'], args['notebook_path']].filter((word) => typeof word === 'string');
  const isRefused =
    files.some((file) => isOffLimits(file, stateDir)) ||
    (typeof command === 'string' && isShellOffLimits(command, stateDir));
  if (isRefused)
    return {
      exitCode: 2,
      text: "Ralph's own files, and what would remove them, are off limits; the shell may only read .ralph/specs, with cat, grep, ls and the like. Say what you have to say through the verbs.\n",
    };
  return warnOfRepeats(repeatFile(sessionDir(stateDir, session_id)));
}

/** The supervisor leaves the warning; renaming it makes sure that the agent is told once. */
function warnOfRepeats(file: string): HookAnswer {
  if (!existsSync(file)) return ALLOW;
  try {
    renameSync(file, `${file}-told`);
  } catch {
    // Of several tool calls at once, another was first.
    return ALLOW;
  }
  return { exitCode: 2, text: readFileSync(`${file}-told`, 'utf8') };
}

function parse(input: string): { tool_input?: Record<string, unknown> } {
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
