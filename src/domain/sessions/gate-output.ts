// Reads the output of gates: the first failure in it, its text without escape sequences, and whether no test ran.
import type { GateResult } from './gate.ts';

/** How runners name a failure, the most useful form first: pytest and mocha repeat failures at the end. */
const RUNNER_FAILURES: readonly RegExp[] = [
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
  // Compilers, type checkers and linters: a position, then the error
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
/** A pass, a total of 0, a heading, a TAP diagnostic, or npm's lines before the start. */
const NAMES_NO_FAILURE = /^(ok\b|pass(ed)?\b|[✓✔√#>])|^=+ (failures|errors) =+$|\b0 (fail|error)/i;
/** A wrapper reports that its command failed, or a runner how many tests did. The exit code says this already. */
const WRAPPER_FAILURES =
  /\bELIFECYCLE\b|\bERR_PNPM|^npm (ERR!|error|warn)|^error Command failed|^error: (script ".*" exited|test failed, to rerun|could not compile)|^make(\[\d+\])?: \*\*\*|\b(exited|failed|failure|completed) with (exit )?(code|status) \d+|^exit status \d+$|^ERROR +run failed|^FAIL$|^(Test Files|Tests|Test Suites):? .*\bfailed\b|^Failed Tests \d+|^[✖×] \d+ problems?\b|^=+ .*\b(failed|errors?)\b.* =+$|^⎯+ Failed /i;

/** Totals, timings and messages of package managers come last, so the last line is only the second choice. */
export function firstFailure(
  gate: Pick<GateResult, 'name' | 'command' | 'exit_code'> & { tail: string },
): string {
  const how = gate.exit_code === null ? 'did not finish' : `exit code ${gate.exit_code}`;
  return failureIn(gate.tail) ?? lastWords(gate.tail) ?? `gate ${gate.name} failed (${gate.command}, ${how})`;
}

/** Null if no line names a failure. */
export function failureIn(output: string): string | null {
  const rows = plainOutput(output).split('\n');
  const lines = rows.map((row) => row.trim());
  const isUseful = (line: string): boolean => !NAMES_NO_FAILURE.test(line) && !WRAPPER_FAILURES.test(line);
  for (const form of RUNNER_FAILURES) {
    const at = lines.findIndex(
      (line) => isUseful(line) && (form.test(line) || form.test(withoutPackage(line))),
    );
    if (at >= 0) return withFile(rows, at);
  }
  return lines.find((line) => NAMES_A_FAILURE.test(line) && isUseful(line)) ?? null;
}

/** The last words of a command mostly tell why it failed. */
const lastWords = (output: string): string | null =>
  plainOutput(output)
    .split('\n')
    .map((line) => line.trim())
    .findLast(
      (line) => /^\D*\p{L}{2}/u.test(line) && !NAMES_NO_FAILURE.test(line) && !WRAPPER_FAILURES.test(line),
    ) ?? null;

/** Without the package name that pnpm and turbo print before each line. */
const withoutPackage = (line: string): string => line.replace(/^[\w@./-]+[ :][\w:-]+: +/, '');

/** ESLint names the file once, above its errors. */
function withFile(rows: readonly string[], at: number): string {
  const line = (rows[at] ?? '').trim();
  if (!/^\d+:\d+\s/.test(line)) return line;
  const file = rows.slice(0, at).findLast((row) => /^\S*[./]\S+$/.test(row));
  return file === undefined ? line : `${file}:${line.replace(/\s+/g, ' ')}`;
}

/** Colours and cursor movements, then titles and links (only if they end on their line), then short sequences. */
const ESCAPE_SEQUENCES = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]/g;

/** Without escape sequences. Each state of a progress bar, which ends with a carriage return, becomes a line. */
export const plainOutput = (text: string): string =>
  text.replace(ESCAPE_SEQUENCES, '').replace(/\r+\n?/g, '\n');

export const withoutColours = (text: string): string => text.replace(/\x1b\[[\d;:]*m/g, '');

/** Lines in which runners count their tests. A runner may print several, for example one per file. */
const TEST_COUNTS: readonly { runner: string; pattern: RegExp }[] = [
  { runner: 'node:test', pattern: /^(?:#|ℹ) tests (\d+)$/gm },
  { runner: 'cargo', pattern: /^running (\d+) tests?$/gm },
  { runner: 'mocha', pattern: /^\s+(\d+) passing\b/gm },
  { runner: 'pytest', pattern: /^(?:collected|collecting \.\.\. collected) (\d+) items?/gm },
];

const NO_TESTS: readonly { runner: string; pattern: RegExp }[] = [
  { runner: 'vitest', pattern: /^\s*No test files found/m },
  { runner: 'vitest', pattern: /^\s*Tests\s+no tests\s*$/m },
  { runner: 'jest', pattern: /^No tests found/m },
  { runner: 'pytest', pattern: /\bno tests ran in\b/ },
];

/** The runner that ran no test although the gate passed. Null if tests ran or it is unknown. */
export function findEmptyTestRunner(output: string): string | null {
  const text = plainOutput(output);
  for (const { runner, pattern } of TEST_COUNTS) {
    const counts = [...text.matchAll(pattern)].map((match) => Number(match[1]));
    if (counts.length > 0 && counts.every((count) => count === 0)) return runner;
  }
  const empty = NO_TESTS.find(({ pattern }) => pattern.test(text));
  return empty?.runner ?? (ranNoGoTest(text) ? 'go test' : null);
}

/** Go prints a line per package: `ok` if tests ran, a question mark if there are none. */
function ranNoGoTest(text: string): boolean {
  const empty = /^\?\s+\S+\s+\[no test files\]$/m.test(text) || /\[no tests to run\]/.test(text);
  const ran = text
    .split('\n')
    .some((line) => /^(ok|FAIL)\s+\S+\s/.test(line) && !line.includes('[no tests to run]'));
  return empty && !ran;
}
