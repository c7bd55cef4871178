// Of a gate's output the one line a person wants: the first that names a failure. Runners end with totals and timings, and
// package managers with the news that the command failed.
import type { GateResult } from './gate.ts';

/** How runners name what failed, the most telling form first: pytest and mocha repeat at the end what they said in pieces before. */
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
const NAMES_NO_FAILURE = /^(ok\b|pass(ed)?\b|[✓✔√#>])|^=+ (failures|errors) =+$|\b0 (fail|error)/i;
/** That a command failed, of whoever started it, or how many tests did: the gate's exit code has said as much. */
const WRAPPER_FAILURES =
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
  const isUseful = (line: string): boolean => !NAMES_NO_FAILURE.test(line) && !WRAPPER_FAILURES.test(line);
  for (const form of RUNNER_FAILURES) {
    const at = lines.findIndex(
      (line) => isUseful(line) && (form.test(line) || form.test(withoutPackage(line))),
    );
    if (at >= 0) return withFile(rows, at);
  }
  return lines.find((line) => NAMES_A_FAILURE.test(line) && isUseful(line)) ?? null;
}

/** What a command says last is mostly why it failed. */
const lastWords = (output: string): string | null =>
  plainOutput(output)
    .split('\n')
    .map((line) => line.trim())
    .findLast(
      (line) => /^\D*\p{L}{2}/u.test(line) && !NAMES_NO_FAILURE.test(line) && !WRAPPER_FAILURES.test(line),
    ) ?? null;

/** Without the package that pnpm and turbo put before each line of a workspace. */
const withoutPackage = (line: string): string => line.replace(/^[\w@./-]+[ :][\w:-]+: +/, '');

/** ESLint names the file once, above what is wrong in it. */
function withFile(rows: readonly string[], at: number): string {
  const line = (rows[at] ?? '').trim();
  if (!/^\d+:\d+\s/.test(line)) return line;
  const file = rows.slice(0, at).findLast((row) => /^\S*[./]\S+$/.test(row));
  return file === undefined ? line : `${file}:${line.replace(/\s+/g, ' ')}`;
}
// What a program printed for a terminal, as text: without colours, titles and other orders to the screen.

/** Colours and movements; titles and links, which end on their line or are none; and the short ones. */
const ESCAPE_SEQUENCES = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]/g;

/** A carriage return begins a line anew, as progress bars do: each state of it becomes a line of its own. */
export const plainOutput = (text: string): string =>
  text.replace(ESCAPE_SEQUENCES, '').replace(/\r+\n?/g, '\n');

export const withoutColours = (text: string): string => text.replace(/\x1b\[[\d;:]*m/g, '');

// A pass that tested nothing: known runners say so in their output, whatever their exit code says.
/** How many tests a runner's line speaks of; several lines of one runner add up. */
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

/** The runner that ran no test, or null where tests ran or nobody knows. */
export function findEmptyTestRunner(output: string): string | null {
  const text = plainOutput(output);
  for (const { runner, pattern } of TEST_COUNTS) {
    const counts = [...text.matchAll(pattern)].map((match) => Number(match[1]));
    if (counts.length > 0 && counts.every((count) => count === 0)) return runner;
  }
  const said = NO_TESTS.find(({ pattern }) => pattern.test(text));
  return said?.runner ?? (ranNoGoTest(text) ? 'go test' : null);
}

/** Go has a line a package: `ok` with a time where tests ran, a question mark where there are none. */
function ranNoGoTest(text: string): boolean {
  const empty = /^\?\s+\S+\s+\[no test files\]$/m.test(text) || /\[no tests to run\]/.test(text);
  const ran = text
    .split('\n')
    .some((line) => /^(ok|FAIL)\s+\S+\s/.test(line) && !line.includes('[no tests to run]'));
  return empty && !ran;
}
