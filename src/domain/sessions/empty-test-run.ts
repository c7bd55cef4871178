// A pass that tested nothing: known runners say so in their output, whatever their exit code says.
import { plainOutput } from './plain-output.ts';

/** How many tests a runner's line speaks of; several lines of one runner add up. */
const COUNTS: readonly { runner: string; pattern: RegExp }[] = [
  { runner: 'node:test', pattern: /^(?:#|ℹ) tests (\d+)$/gm },
  { runner: 'cargo', pattern: /^running (\d+) tests?$/gm },
  { runner: 'mocha', pattern: /^\s+(\d+) passing\b/gm },
  { runner: 'pytest', pattern: /^(?:collected|collecting \.\.\. collected) (\d+) items?/gm },
];

const NOTHING: readonly { runner: string; pattern: RegExp }[] = [
  { runner: 'vitest', pattern: /^\s*No test files found/m },
  { runner: 'vitest', pattern: /^\s*Tests\s+no tests\s*$/m },
  { runner: 'jest', pattern: /^No tests found/m },
  { runner: 'pytest', pattern: /\bno tests ran in\b/ },
];

/** The runner that ran no test, or null where tests ran or nobody knows. */
export function vacuousRunner(output: string): string | null {
  const text = plainOutput(output);
  for (const { runner, pattern } of COUNTS) {
    const counts = [...text.matchAll(pattern)].map((match) => Number(match[1]));
    if (counts.length > 0 && counts.every((count) => count === 0)) return runner;
  }
  const said = NOTHING.find(({ pattern }) => pattern.test(text));
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
