import { Argument } from 'commander';
import type { CommandContext } from '../../../app/world.ts';
import { needsText } from '../../../domain/tasks/summary.ts';
import { plural } from '../../../domain/text/text.ts';
import {
  asList,
  asObject,
  asText,
  type Json,
  parseJsonLine,
  textOrNull,
} from '../../../domain/transcript/json.ts';
import { readLines } from '../../../files/read-lines.ts';
import { isAtWork, summarise } from '../../../queue/tasks/summary.ts';
import { readInput, readSharedQueue, withExistingQueue, withFolder } from '../../claude-code/read-project.ts';
import { defineCommand } from '../../command.ts';

// What the plugin for Claude Code says at the start of a session, and before a turn ends.

const HOOKS = ['session-start', 'stop'] as const;
type HookName = (typeof HOOKS)[number];

/** The answer of a hook in the form of Claude Code; null if there is nothing to say. */
const answerHook = (name: HookName, context: CommandContext): Promise<object | null> =>
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

export const hook = defineCommand<[HookName]>({
  name: 'hook',
  summary: 'answer a hook of Claude Code; the plugin calls it',
  group: 'Set up',
  args: [new Argument('<event>', 'what Claude Code is about to do').choices(HOOKS)],
  examples: ['ralph hook session-start', 'ralph hook stop'],
  run: async (context, [name]) => {
    const answer = await answerHook(name, context);
    return { json: answer, text: answer === null ? '' : JSON.stringify(answer) };
  },
});

// Which task a conversation of Claude Code has taken, as its transcript tells.

/** Under both names of the server: `mcp__ralph__next_task`, and `mcp__plugin_ralph_ralph__next_task` of the plugin. */
const NEXT_TASK = /^mcp__\w*ralph\w*__next_task$/;
const TASK = /^## Your task: #(\d+)/m;

/** The last task that next_task gave; null if there is none, or if `reminder` has been said since. */
export async function findHeldTask(lines: AsyncIterable<string>, reminder: string): Promise<number | null> {
  const calls = new Set<string>();
  let task_id: number | null = null;
  for await (const line of lines) {
    if (task_id !== null && line.includes(reminder)) task_id = null;
    // Most lines are neither, and some are huge.
    if (!line.includes('__next_task') && calls.size === 0) continue;
    for (const block of blocks(line)) {
      if (NEXT_TASK.test(asText(block['name']))) calls.add(asText(block['id']));
      if (!calls.delete(asText(block['tool_use_id']))) continue;
      const found = TASK.exec(resultText(block['content']))?.[1];
      if (found !== undefined) task_id = Number(found);
    }
  }
  return task_id;
}

const blocks = (line: string): Json[] =>
  asList(asObject(parseJsonLine(line)?.['message'])['content']).map(asObject);

const resultText = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : asList(content)
        .map((part) => asText(asObject(part)['text']))
        .join('\n');
