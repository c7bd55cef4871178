// How a person describes the failures of an agent of their own: by its exit code, or by an expression on a line of its standard
// error. An expression may cost little time, whatever the agent prints.
import type { AgentFault } from './agent-failure.ts';

/** A whole number is an exit code. */
export type FaultPattern = string | number;

export type FaultPatterns = { limit: readonly FaultPattern[]; auth: readonly FaultPattern[] };

export const NO_FAULTS: FaultPatterns = { limit: [], auth: [] };

/** Together they bound the time: at most the square of a line's length for each of few lines. */
const MAX = { characters: 200, repetitions: 2, options: 8, lineCharacters: 300, lines: 20 };

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
  return (bare.match(/\?/g) ?? []).length > MAX.options
    ? `has more than ${MAX.options} question marks`
    : null;
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
