// Which task a conversation of Claude Code has taken, as its transcript tells.
import { asList, asObject, asText, type Json, parseJsonLine } from './json.ts';

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
