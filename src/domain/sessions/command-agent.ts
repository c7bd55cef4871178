// How a person describes the failures of an agent of their own: by its exit code, or by an expression on a line of its standard
// error. An expression may cost little time, whatever the agent prints.

import { closestName } from '../text/did-you-mean.ts';
import type { AgentFault } from './agent-failure.ts';

/** A whole number is an exit code. */
type FaultPattern = string | number;

export type FaultPatterns = { limit: readonly FaultPattern[]; auth: readonly FaultPattern[] };

export const NO_FAULTS: FaultPatterns = { limit: [], auth: [] };

/** Together they bound the time of a pattern to about a second. Each option can double it. */
const MAX = { characters: 200, repetitions: 2, options: 3, lineCharacters: 200, lines: 20 };

/** What is wrong with a pattern; null if nothing is. */
export function patternProblem(pattern: FaultPattern): string | null {
  if (typeof pattern === 'number')
    return Number.isInteger(pattern) && pattern > 0 && pattern < 256 ? null : 'is no exit code: use 1 to 255';
  if (pattern.length > MAX.characters) return `is longer than ${MAX.characters} characters`;
  try {
    new RegExp(pattern, 'i');
  } catch {
    return 'is not a regular expression';
  }
  // Of these parts only the operators are left to look at.
  const plain = pattern.replace(/\\[\s\S]/g, (pair) => (/\\[1-9k]/.test(pair) ? '\u0000' : 'x'));
  const bare = plain.replace(/\[[^\]]*\]/g, 'x');
  if (bare.includes('\u0000') || /\(\?[=!<]/.test(bare)) return 'looks ahead, behind or back; leave that out';
  if (/\)(?:[*+]|\{)/.test(bare))
    return 'repeats a group, which can take for ever; repeat single characters only';
  if ((bare.match(/[*+]|\{\d/g) ?? []).length > MAX.repetitions)
    return `has more than ${MAX.repetitions} repetitions, which can take for ever`;
  return countOptions(bare) > MAX.options
    ? `has more than ${MAX.options} question marks and alternatives in groups, which can take for ever`
    : null;
}

/** Alternatives outside of groups are tried one after another, so they cost little. */
function countOptions(bare: string): number {
  let [depth, options] = [0, 0];
  for (const sign of bare.replaceAll('(?:', '(')) {
    if (sign === '(') depth += 1;
    if (sign === ')') depth -= 1;
    if (sign === '?' || (sign === '|' && depth > 0)) options += 1;
  }
  return options;
}

/** The first kind that matches. `errors`: the end of its standard error. */
export function matchFault(
  { limit, auth }: FaultPatterns,
  { exit_code, errors }: { exit_code: number | null; errors: string },
): AgentFault | null {
  const lines = errors
    .split('\n')
    .slice(-MAX.lines)
    .map((line) => line.slice(0, MAX.lineCharacters));
  const matches = (pattern: FaultPattern): boolean =>
    typeof pattern === 'number'
      ? pattern === exit_code
      : lines.some((line) => new RegExp(pattern, 'i').test(line));
  if (auth.some(matches)) return 'not_logged_in';
  return limit.some(matches) ? 'usage_limit' : null;
}

// Placeholders in the command line of an agent of one's own.

const COMMAND_PLACEHOLDERS = [
  'mcp_config',
  'model',
  'prompt_file',
  'max_turns',
  'budget',
  'session_id',
] as const;

type CommandPlaceholder = (typeof COMMAND_PLACEHOLDERS)[number];

/** Braces with anything else between them, such as `{}` or JSON, are left as they are. */
const PLACEHOLDER = /\{([a-z_]+)\}/g;

/** What is wrong with the command; null if nothing is. */
export function placeholderProblem(command: readonly string[]): string | null {
  const names = command.flatMap((word) => [...word.matchAll(PLACEHOLDER)].map(([, name = '']) => name));
  const unknown = names.find((name) => !isKnown(name));
  if (unknown === undefined) return null;
  const closest = closestName(unknown, COMMAND_PLACEHOLDERS);
  const placeholders = COMMAND_PLACEHOLDERS.map((name) => `{${name}}`).join(', ');
  return `has the placeholder {${unknown}}${closest === null ? `; there are ${placeholders}` : `; did you mean {${closest}}?`}`;
}

const isKnown = (name: string): name is CommandPlaceholder =>
  (COMMAND_PLACEHOLDERS as readonly string[]).includes(name);

/** Once: a value that contains braces is not looked at again. */
export const fillCommand = (
  command: readonly string[],
  values: Readonly<Record<CommandPlaceholder, string>>,
): string[] =>
  command.map((word) =>
    word.replace(PLACEHOLDER, (text, name: string) => (isKnown(name) ? values[name] : text)),
  );
