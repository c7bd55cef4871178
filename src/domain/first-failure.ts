// Of a gate's output the one line a person wants: the first that names a failure. Runners end with totals and timings.
import type { GateResult } from './gate.ts';
import { plainOutput } from './plain-output.ts';

const NAMES_A_FAILURE =
  /^not ok\b|^\((Ralph|Its?) |\bFAIL|\bfail(ed|ure)\b|error\b|\w(Error|Exception)\b|\bpanic|\bmissing\b|\bcannot\b|\bexpected\b|\bassert|^[✗✘✖×]|\s[✗✘✖×]\s/i;
/** A pass, a total of nothing, a heading, a diagnostic of TAP, or what npm says before it starts. */
const NAMES_NONE = /^(ok\b|pass(ed)?\b|[✓✔√#>])|^=+ (failures|errors) =+$|\b0 (fail|error)/i;

export function firstFailure({
  name,
  command,
  exit_code,
  tail,
}: Pick<GateResult, 'name' | 'command' | 'exit_code' | 'tail'>): string {
  const lines = plainOutput(tail)
    .split('\n')
    .map((line) => line.trim());
  const found = lines.find((line) => NAMES_A_FAILURE.test(line) && !NAMES_NONE.test(line));
  const how = exit_code === null ? 'did not finish' : `exit code ${exit_code}`;
  return found ?? `gate ${name} failed (${command}, ${how})`;
}
