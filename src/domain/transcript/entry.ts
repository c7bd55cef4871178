// An entry of a session in one line, with the same words on every screen.

import { withoutColours } from '../sessions/gate-output.ts';
import { duration, money, tokens } from '../text/amounts.ts';
import { plural, singleLine } from '../text/text.ts';
import type { StreamLine } from './parse.ts';
import type { Entry, Part, Result } from './transcript.ts';

export function entryLine(entry: Entry): string {
  switch (entry.kind) {
    case 'started':
      return startedText(entry);
    case 'tool':
      return `${toolName(entry.name)} ${entry.on}`.trimEnd();
    case 'retry':
      return retryText(entry);
    case 'result':
      return resultText(entry);
    default:
      return withoutColours(entry.text);
  }
}

/** Shows Claude Code's `mcp__ralph__done`, which is `mcp__plugin_ralph_ralph__done` by the plugin, as `ralph done`. */
export const toolName = (name: string): string =>
  name.startsWith('mcp__')
    ? name
        .slice('mcp__'.length)
        .replace(/^plugin_ralph_(?=ralph__)/, '')
        .replace('__', ' ')
    : name;

function startedText({ model, servers }: Extract<Entry, { kind: 'started' }>): string {
  const disconnected = servers.filter(({ status }) => status !== 'connected');
  const missing = disconnected.map(({ name, status }) => `  MCP server ${name}: ${status}`).join('');
  return `started${model === '' ? '' : `, model ${model}`}${missing}`;
}

function retryText({ attempt, of, error, status, delay_ms }: Extract<Entry, { kind: 'retry' }>): string {
  const reason = [status === 0 ? '' : String(status), error].filter((part) => part !== '').join(' ');
  const when = delay_ms === 0 ? '' : ` in ${duration(delay_ms)}`;
  return `the API refused (${reason}); try ${attempt} of ${of}${when}`;
}

function resultText(result: Result): string {
  const facts = [
    ...(result.turns === null ? [] : [plural(result.turns, 'turn')]),
    `${tokens(result.input_tokens)} tokens in, ${tokens(result.output_tokens)} out`,
    ...(result.cost_usd === null ? [] : [money(result.cost_usd)]),
    ...(result.denials > 0 ? [`${plural(result.denials, 'tool use')} denied`] : []),
  ];
  // The reason comes first because screens cut a line at its end.
  const reason = result.is_error && result.text !== '' ? `: ${withoutColours(result.text)}` : '';
  return `${endingText(result)}${reason}  ${facts.join('  ')}`;
}

function endingText({ ending, is_error, status }: Result): string {
  if (status !== 0) return `ended by the API (${status})`;
  if (ending === 'error_max_turns') return 'ended at its limit of turns';
  if (ending === 'error_max_budget_usd') return 'ended at its budget';
  if (!is_error && ending === 'success') return 'ended';
  // Claude Code reports `success` even if its result is the text of an error.
  const kind = ending.replace(/^error_/, '').replaceAll('_', ' ');
  return kind === '' || kind === 'success' ? 'ended by an error' : `ended by an error (${kind})`;
}

/** Reaching a limit is not an error. */
export const endMark = ({ ending, is_error, status }: Result): '✗' | '■' =>
  status === 0 && (/^error_max_(turns|budget_usd)$/.test(ending) || (ending === 'success' && !is_error))
    ? '■'
    : '✗';

/** An entry as a list shows it. */
export type EntryRow = { kind: Entry['kind']; isWrong: boolean; line: string };

const MAX_LINE = 300;

export const entryRow = (entry: Entry): EntryRow => ({
  kind: entry.kind,
  isWrong: entryGroups(entry).includes('errors'),
  line: singleLine(entryLine(entry).slice(0, 2 * MAX_LINE)).slice(0, MAX_LINE),
});

/** The filters that a reader can choose from. */
export const ENTRY_GROUPS = ['text', 'tools', 'errors'] as const;
export type EntryGroup = (typeof ENTRY_GROUPS)[number];

export function entryGroups(entry: Entry): EntryGroup[] {
  switch (entry.kind) {
    case 'text':
    case 'thought':
    case 'told':
    case 'line':
      return ['text'];
    case 'tool':
      return ['tools'];
    case 'answer':
      return entry.is_error ? ['tools', 'errors'] : ['tools'];
    case 'retry':
      return ['errors'];
    case 'result':
      return endMark(entry) === '✗' ? ['text', 'errors'] : ['text'];
    case 'started':
    case 'note':
      return [];
  }
}

// The full content behind an entry: a whole text, or a tool call with all its arguments.

/** The name is empty if the text is the only field. */
export type Field = { name: string; text: string };

export function entryFields({ block }: Part, { text, json, event }: StreamLine): Field[] {
  switch (block?.kind) {
    case 'text':
    case 'thinking':
    case 'tool_result':
      return [{ name: '', text: block.text }];
    case 'tool_use':
      return objectFields(block.input);
    case 'redacted':
    case 'other':
      return objectFields(block.json);
    case undefined:
      return event.kind === 'plain' || json === null
        ? [{ name: '', text: text.trimEnd() }]
        : objectFields(json);
  }
}

const objectFields = (value: object): Field[] =>
  Object.entries(value).map(([name, inner]) => ({
    name,
    text: typeof inner === 'string' ? inner : formatJson(inner),
  }));

function formatJson(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2);
  } catch {
    // JSON.parse reads values that JSON.stringify cannot write: only the latter is recursive.
    return '(nested too deeply to show)';
  }
}

/** Keeps the first `limit` characters of all fields together. */
export function cutFields(fields: readonly Field[], limit: number): { fields: Field[]; left_out: number } {
  const shortFields: Field[] = [];
  let [room, left_out] = [limit, 0];
  for (const { name, text } of fields) {
    const cut = text.slice(0, room);
    if (cut !== '' || text === '') shortFields.push({ name, text: cut });
    room -= cut.length;
    left_out += text.length - cut.length;
  }
  return { fields: shortFields, left_out };
}
