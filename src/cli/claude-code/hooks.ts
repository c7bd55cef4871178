// What the plugin for Claude Code says at the start of a session, and before a turn ends.
import type { CommandContext } from '../../app/world.ts';
import { needsText } from '../../domain/tasks/summary.ts';
import { plural } from '../../domain/text/text.ts';
import { findHeldTask } from '../../domain/transcript/held-task.ts';
import { textOrNull } from '../../domain/transcript/json.ts';
import { readLines } from '../../files/read-lines.ts';
import { isAtWork, summarise } from '../../queue/tasks/summary.ts';
import { readInput, readSharedQueue, withExistingQueue, withFolder } from './read-project.ts';

export const HOOKS = ['session-start', 'stop'] as const;
export type HookName = (typeof HOOKS)[number];

/** The answer of a hook in the form of Claude Code; null if there is nothing to say. */
export const answerHook = (name: HookName, context: CommandContext): Promise<object | null> =>
  name === 'stop' ? beforeTurnEnds(context) : atSessionStart(context);

async function atSessionStart(context: CommandContext): Promise<object | null> {
  const place = withFolder(context, await readInput(context));
  const shared = readSharedQueue(place);
  const summary =
    shared === null ? await withExistingQueue(place, summarise) : (shared.last?.summary ?? null);
  if (summary === null) return null;
  const needs = needsText(summary);
  const ready = summary.ready > 0 ? `${plural(summary.ready, 'task')} ready (/ralph:work)` : '';
  const line = [needs === '' ? '' : `needs you: ${needs} (/ralph:status)`, ready].filter(Boolean).join('; ');
  if (line === '') return null;
  return {
    systemMessage: `Ralph: ${line}`,
    hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: `Ralph's queue: ${line}` },
  };
}

/** Asks once for the closing verb of a task that this conversation took and that is still at work. */
async function beforeTurnEnds(context: CommandContext): Promise<object | null> {
  const input = await readInput(context);
  const transcript = textOrNull(input['transcript_path']);
  if (input['stop_hook_active'] === true || transcript === null) return null;
  const task_id = await findHeldTask(readLines(transcript), REMINDER);
  if (task_id === null) return null;
  const isHeld = await withExistingQueue(withFolder(context, input), (queue) => isAtWork(queue, task_id));
  if (isHeld !== true) return null;
  return { decision: 'block', reason: `Task ${task_id} ${REMINDER}` };
}

const REMINDER =
  'is still yours and has no closing verb. Call done if it is complete, partial with what remains, or stuck with the reason. If you wait for the person, end your turn.';
