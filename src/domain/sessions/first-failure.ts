// Of a gate's output the one line a person wants: the first that names a failure. Runners end with totals and timings, and
// package managers with the news that the command failed.
import type { GateResult } from './gate.ts';
import { plainOutput } from './plain-output.ts';

/** How runners name what failed, the most telling form first: pytest and mocha repeat at the end what they said in pieces before. */
const OF_RUNNERS: readonly RegExp[] = [
  // pytest, unittest
  /^(FAILED|ERROR) [^\s:]+\.py\b/,
  /^(FAIL|ERROR): \w+ \(/,
  // TAP, Vitest, Jest, the spec reporters
  /^not ok\b(?!.*# (TODO|SKIP)\b)/i,
  /^FAIL\s+\S*[./]\S*(?!.*\[(build|setup) failed\])/,
  /^[✗✘✖×]\s*\S/,
  // go test, cargo test, gradle, dotnet
  /^--- FAIL: /,
  /^test \S+ \.\.\. FAILED$/,
  /^\S+ > .+ FAILED$/,
  /^Failed \S+ \[/,
  // Compilers, type checkers and linters: a place, then what is wrong there
  /^\S+[:(]\d+([:,]\d+)?\)?:?\s(- )?(fatal |syntax )?error\b/i,
  /^\S+\.(py|go|rb|php):\d+(:\d+)?: \S/,
  /^error(\[\w+\])?: (?!could not compile|aborting due|test failed|script )/,
  /^\d+:\d+\s+error\s/,
  /^\S+:\d+:\d+ (lint|format|parse|assist)\S*/,
  /^\[(warn|error)\] \S+\.\w+$/,
  // rspec, mocha, PHPUnit
  /^rspec \.?\S+:\d+/,
  /^\d+\) \S/,
];

const NAMES_A_FAILURE =
  /^not ok\b|^\((Ralph|Its?) |\bFAIL|\bfail(ed|ure)\b|error\b|\w(Error|Exception)\b|\bpanic|\bmissing\b|\bcannot\b|\bexpected\b|\bassert|^[✗✘✖×]|\s[✗✘✖×]\s/i;
/** A pass, a total of nothing, a heading, a diagnostic of TAP, or what npm says before it starts. */
const NAMES_NONE = /^(ok\b|pass(ed)?\b|[✓✔√#>])|^=+ (failures|errors) =+$|\b0 (fail|error)/i;
/** That a command failed, of whoever started it, or how many tests did: the gate's exit code has said as much. */
const OF_WRAPPERS =
  /\bELIFECYCLE\b|\bERR_PNPM|^npm (ERR!|error|warn)|^error Command failed|^error: (script ".*" exited|test failed, to rerun|could not compile)|^make(\[\d+\])?: \*\*\*|\b(exited|failed|failure|completed) with (exit )?(code|status) \d+|^exit status \d+$|^ERROR +run failed|^FAIL$|^(Test Files|Tests|Test Suites):? .*\bfailed\b|^Failed Tests \d+|^[✖×] \d+ problems?\b|^=+ .*\b(failed|errors?)\b.* =+$|^⎯+ Failed /i;

export function firstFailure(
  gate: Pick<GateResult, 'name' | 'command' | 'exit_code'> & { tail: string },
): string {
  const how = gate.exit_code === null ? 'did not finish' : `exit code ${gate.exit_code}`;
  return failureIn(gate.tail) ?? lastWords(gate.tail) ?? `gate ${gate.name} failed (${gate.command}, ${how})`;
}

/** Null where no line names one. */
export function failureIn(output: string): string | null {
  const rows = plainOutput(output).split('\n');
  const lines = rows.map((row) => row.trim());
  const isUseful = (line: string): boolean => !NAMES_NONE.test(line) && !OF_WRAPPERS.test(line);
  for (const form of OF_RUNNERS) {
    const at = lines.findIndex((line) => isUseful(line) && (form.test(line) || form.test(bare(line))));
    if (at >= 0) return withFile(rows, at);
  }
  return lines.find((line) => NAMES_A_FAILURE.test(line) && isUseful(line)) ?? null;
}

/** What a command says last is mostly why it failed. */
const lastWords = (output: string): string | null =>
  plainOutput(output)
    .split('\n')
    .map((line) => line.trim())
    .findLast((line) => /^\D*\p{L}{2}/u.test(line) && !NAMES_NONE.test(line) && !OF_WRAPPERS.test(line)) ??
  null;

/** Without the package that pnpm and turbo put before each line of a workspace. */
const bare = (line: string): string => line.replace(/^[\w@./-]+[ :][\w:-]+: +/, '');

/** ESLint names the file once, above what is wrong in it. */
function withFile(rows: readonly string[], at: number): string {
  const line = (rows[at] ?? '').trim();
  if (!/^\d+:\d+\s/.test(line)) return line;
  const file = rows.slice(0, at).findLast((row) => /^\S*[./]\S+$/.test(row));
  return file === undefined ? line : `${file}:${line.replace(/\s+/g, ' ')}`;
}
