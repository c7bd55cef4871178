// An entry of a session in one line, as every screen says it.

import { withoutColours } from '../sessions/gate-output.ts';
import { duration, money, tokens } from '../text/amounts.ts';
import { folded, plural } from '../text/text.ts';
import type { Entry, Result } from './transcript.ts';

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

/** `mcp__ralph__done` is `ralph done` to everybody but Claude Code. */
export const toolName = (name: string): string =>
  name.startsWith('mcp__') ? name.slice('mcp__'.length).replace('__', ' ') : name;

function startedText({ model, servers }: Extract<Entry, { kind: 'started' }>): string {
  const lost = servers.filter(({ status }) => status !== 'connected');
  const missing = lost.map(({ name, status }) => `  MCP server ${name}: ${status}`).join('');
  return `started${model === '' ? '' : `, model ${model}`}${missing}`;
}

function retryText({ attempt, of, error, status, delay_ms }: Extract<Entry, { kind: 'retry' }>): string {
  const why = [status === 0 ? '' : String(status), error].filter((part) => part !== '').join(' ');
  return `the API refused (${why}); try ${attempt} of ${of} in ${duration(delay_ms)}`;
}

function resultText(result: Result): string {
  const facts = [
    plural(result.turns, 'turn'),
    `${tokens(result.input_tokens)} tokens in, ${tokens(result.output_tokens)} out`,
    money(result.cost_usd),
    ...(result.denials > 0 ? [`${plural(result.denials, 'tool use')} denied`] : []),
  ];
  // Why comes first: a line is cut at its end.
  const said = result.is_error && result.text !== '' ? `: ${withoutColours(result.text)}` : '';
  return `${endingText(result)}${said}  ${facts.join('  ')}`;
}

function endingText({ ending, is_error, status }: Result): string {
  if (status !== 0) return `ended by the API (${status})`;
  if (ending === 'error_max_turns') return 'ended at its limit of turns';
  if (ending === 'error_max_budget_usd') return 'ended at its budget';
  if (!is_error && ending === 'success') return 'ended';
  // Claude Code calls it a success where it has printed an error as its result.
  const kind = ending.replace(/^error_/, '').replaceAll('_', ' ');
  return kind === '' || kind === 'success' ? 'ended by an error' : `ended by an error (${kind})`;
}

/** A limit is no fault. */
export const endMark = ({ ending, is_error, status }: Result): '✗' | '■' =>
  status === 0 && (/^error_max_(turns|budget_usd)$/.test(ending) || (ending === 'success' && !is_error))
    ? '■'
    : '✗';

/** What a list shows of an entry. */
export type EntryRow = { kind: Entry['kind']; isWrong: boolean; line: string };

const MAX_LINE = 300;

export const rowOf = (entry: Entry): EntryRow => ({
  kind: entry.kind,
  isWrong: groupsOf(entry).includes('errors'),
  line: folded(entryLine(entry).slice(0, 2 * MAX_LINE)).slice(0, MAX_LINE),
});

/** What somebody wants to see of a session, and nothing else. */
export const ENTRY_GROUPS = ['text', 'tools', 'errors'] as const;
export type EntryGroup = (typeof ENTRY_GROUPS)[number];

export function groupsOf(entry: Entry): EntryGroup[] {
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
