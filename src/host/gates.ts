// Gates are run by Ralph itself: the exit code decides, unless the output shows that nothing was tested.
import { join } from 'node:path';
import type { GateConfig } from '../domain/config.ts';
import type { GateResult } from '../domain/gate.ts';
import { Refusal } from '../domain/refusal.ts';
import { vacuousRunner } from '../domain/vacuous.ts';
import { BoundedLog } from './bounded-log.ts';
import { type GateOutput, readGateOutput } from './gate-output.ts';
import { endTree, killNow, killUntilDrained, type Marker } from './reap.ts';
import { type Environment, type Exit, start } from './spawn.ts';

/** What the next attempt is shown of a failure. */
const TAIL_CHARACTERS = 4_000;
const MEGABYTE = 1024 * 1024;

export type GateRun = {
  root: string;
  env: Environment;
  /** Where the output goes, as much of it as the gate's limit allows. */
  logFile: string;
  tree_hash: string | null;
  /** Fires when a person wants everything ended now. */
  stop?: AbortSignal | undefined;
};

/** A gate that a person ended has proven nothing, and refuted nothing either. */
export class GateStopped extends Refusal {}

export async function runGate(
  gate: GateConfig,
  { root, env, logFile, tree_hash, stop }: GateRun,
): Promise<GateResult> {
  const log = new BoundedLog(logFile, gate.max_output_mb * MEGABYTE);
  const started = performance.now();
  const marker: Marker = `RALPH_GATE_ID=${crypto.randomUUID()}`;
  const [file, ...args] = typeof gate.command === 'string' ? ['sh', '-c', gate.command] : gate.command;
  const child = start(file ?? '', args, {
    cwd: root,
    env: { ...env, ...parse(marker), CI: env['CI'] ?? '1' },
  });
  child.stdin.end();
  // A server that ends in the middle of a gate leaves nothing of it behind.
  const end = () => killNow({ pid: child.pid, marker });
  process.once('exit', end);
  const reading = readGateOutput(child, log, { env, expect: gate.expect });
  const late = new Promise<null>((over) =>
    setTimeout(() => over(null), gate.timeout_seconds * 1_000).unref(),
  );
  const exit = await Promise.race([child.exited, late, aborted(stop)]);
  if (exit === null) await endTree({ pid: child.pid, marker });
  // A server that a test left running would be there for the next gate, and for ever.
  await killUntilDrained(child, marker);
  const output = await reading;
  process.off('exit', end);
  log.close();
  if (stop?.aborted) throw new GateStopped(`The gate ${gate.name} was stopped.`);
  const problem = problemOf(gate, exit, output);
  return {
    name: gate.name,
    command: typeof gate.command === 'string' ? gate.command : gate.command.join(' '),
    definition: definitionOf(gate),
    required: gate.required,
    passed: problem === null,
    exit_code: exit?.code ?? null,
    duration_ms: performance.now() - started,
    tail: problem === null ? '' : `${output.text.slice(-TAIL_CHARACTERS).trimEnd()}\n${problem}`.trim(),
    log: logFile,
    tree_hash,
    was_red: false,
  };
}

const definitionOf = ({ name, command, expect }: GateConfig): string =>
  JSON.stringify([name, command, expect]);

const aborted = (stop: AbortSignal | undefined): Promise<null> =>
  new Promise((over) => {
    if (stop?.aborted) over(null);
    else stop?.addEventListener('abort', () => over(null), { once: true });
  });

/** Why it did not pass, or null. An exit code speaks for itself. */
function problemOf(
  { timeout_seconds, expect }: GateConfig,
  exit: Exit | null,
  { text, hasExpected }: GateOutput,
): string | null {
  if (exit === null) return `(Ralph ended it after ${timeout_seconds} seconds.)`;
  if (exit.error !== null) return `(It could not be started: ${exit.error}.)`;
  if (exit.code !== 0) return exit.signal === null ? '' : `(It was ended by ${exit.signal}.)`;
  const runner = vacuousRunner(text);
  if (runner !== null) return `(Its exit code is 0, but ${runner} ran no test: that proves nothing.)`;
  return hasExpected ? null : `(Its exit code is 0, but its output does not contain "${expect}".)`;
}

const parse = (marker: Marker): Record<string, string> => {
  const at = marker.indexOf('=');
  return { [marker.slice(0, at)]: marker.slice(at + 1) };
};

export type GatesRun = Omit<GateRun, 'logFile'> & {
  logFolder: string;
  /** What they have said in this very session already: its supervisor may have died since. */
  said: readonly GateResult[];
  /** What they said of the tree as it was before the work began. */
  before: readonly GateResult[];
};

/** One after another, each to its own log. What another session proved of the same tree proves nothing of this one: not all that counts is in the tree. */
export async function runGates(
  gates: readonly GateConfig[],
  { logFolder, said, before, ...run }: GatesRun,
): Promise<GateResult[]> {
  const results: GateResult[] = [];
  for (const gate of gates) {
    const logFile = join(logFolder, `${gate.name.replace(/[^\w.-]+/g, '-')}.log`);
    const passed = resultOf(gate, said, true);
    // Not so what has failed: what it lacked may lie outside of the tree, and be there by now.
    const result = passed ?? (await runGate(gate, { ...run, logFile }));
    const was_red = resultOf(gate, before, false) !== undefined;
    results.push({ ...result, required: gate.required, was_red });
  }
  return results;
}

/** What it said last, in this form; or the last that went this way. */
export const resultOf = (
  gate: GateConfig,
  known: readonly GateResult[],
  passed?: boolean,
): GateResult | undefined =>
  known.find(
    (result) =>
      result.definition === definitionOf(gate) && (passed === undefined || result.passed === passed),
  );
