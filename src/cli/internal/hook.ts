// `ralph hook stop|guard`: what Claude Code asks before it ends a turn or uses a tool. Not for people, so not among the commands.
// The guard is asked before every use of a tool, so nothing is loaded for it that it does not need.

import type { World } from '../../app/world.ts';
import { readAll } from '../terminal/read-all.ts';

/** Exit code 2 sends the text to the model, and the turn goes on; 0 lets it be. */
export type HookAnswer = { exitCode: 0 | 2; text: string };

export const LET_GO: HookAnswer = { exitCode: 0, text: '' };

export async function answerHook(
  name: string | undefined,
  { env, pipes }: Pick<World, 'env' | 'pipes'>,
): Promise<HookAnswer> {
  const { RALPH_PROJECT: root, RALPH_SESSION_ID: session_id } = env;
  const input = await readAll(pipes.stdin);
  if (root === undefined || session_id === undefined) return LET_GO;
  if (name === 'guard') return (await import('./hook-guard.ts')).guard(input, root);
  if (name !== 'stop') return LET_GO;
  const { askForVerb, askForVerdict } = await import('./hook-stop.ts');
  const recipe = env['RALPH_RECIPE'] ?? 'task_execution';
  if (recipe === 'opus_review') return askForVerdict(root, session_id, Number(env['RALPH_REVIEWS_BEFORE']));
  // Who plans closes nothing: what it made is what it has to say.
  return recipe === 'task_execution' ? askForVerb(root, session_id) : LET_GO;
}
