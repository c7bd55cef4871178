// Runs gates. The exit code decides, unless the output shows that no test ran.
import { join } from 'node:path';
import type { GateConfig } from '../../domain/config.ts';
import { MachineFailed, NeedsPerson, Refusal } from '../../domain/refusal.ts';
import { type Refused, refusedText } from '../../domain/sandbox/hosts.ts';
import { environmentFor } from '../../domain/secrets/environment.ts';
import type { GateResult } from '../../domain/sessions/gate.ts';
import { failureIn, findEmptyTestRunner, plainOutput } from '../../domain/sessions/gate-output.ts';
import { registerWork } from '../processes/at-work.ts';
import { endTree, killUntilDrained, type Marker } from '../processes/reap.ts';
import { type Environment, type Exit, explainLack } from '../processes/spawn.ts';
import type { Mount } from '../sandbox/bwrap.ts';
import type { Enclosure } from '../sandbox/sandbox.ts';
import { startEnclosed, UNBUILT } from '../sandbox/start-enclosed.ts';
import { BoundedLog } from './bounded-log.ts';
import { type GateOutput, readGateOutput } from './gate-output.ts';

/** How much of a failure the next attempt is shown. */
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
  /** Without it the command runs as it is. */
  enclosure?: Enclosure | null | undefined;
  /** What it needs in its sandbox besides. */
  mounts?: readonly Mount[];
};

/** A gate that a person stopped has neither proven nor refuted anything. */
export class GateStopped extends Refusal {}

/** A gate that another program killed twice. It has neither proven nor refuted anything. */
export class GateKilled extends NeedsPerson {
  readonly result: GateResult;

  constructor({ result, endedBy }: { result: GateResult; endedBy: string }) {
    const cause = endedBy === 'SIGKILL' ? 'The machine may be out of memory.' : 'Another program ended it.';
    super(
      `The gate ${result.name} (${result.command}) was ended twice by ${endedBy}, which Ralph did not send. ${cause} Free memory or change the gate, then answer this question to try the task again.`,
    );
    this.result = result;
  }
}

/** Runs it once, whatever its `flaky` says: setup, hooks and the like are no gates that can be flaky. */
export const runGate = async (gate: GateConfig, run: GateRun): Promise<GateResult> =>
  (await runUnlessKilled(gate, run)).result;

type Ended = {
  result: GateResult;
  /** The signal from outside; null if the program ended by itself or by its timeout. */
  endedBy: string | null;
  /** Whether another run on the same files could end differently, at a bearable price. */
  mayBeFlaky: boolean;
};

async function runUnlessKilled(gate: GateConfig, run: GateRun): Promise<Ended> {
  const first = await runOnce(gate, run);
  if (first.endedBy === null) return first;
  // Try once more: memory may have been short for a moment.
  const second = await runOnce(gate, run);
  if (second.endedBy === null) return second;
  throw new GateKilled({ result: second.result, endedBy: second.endedBy });
}

async function runOnce(gate: GateConfig, run: GateRun): Promise<Ended> {
  const { root, env, logFile, tree_hash, stop, enclosure, mounts } = run;
  const log = new BoundedLog(logFile, gate.max_output_mb * MEGABYTE);
  const started = performance.now();
  const marker: Marker = `RALPH_GATE_ID=${crypto.randomUUID()}`;
  const command = typeof gate.command === 'string' ? ['sh', '-c', gate.command] : gate.command;
  // Registered, so that a Ralph that ends during a gate leaves none of its processes behind.
  const work = registerWork(marker);
  const child = await startEnclosed(enclosure, command, {
    cwd: root,
    env: { ...environmentFor('gate', env, gate.env), ...markerVariable(marker), CI: env['CI'] ?? '1' },
    ...(mounts !== undefined && { mounts }),
  });
  work.startedAs(child.pid);
  child.stdin.end();
  const reading = readGateOutput(child, log, { env, expect: gate.expect });
  const late = new Promise<null>((over) =>
    setTimeout(() => over(null), gate.timeout_seconds * 1_000).unref(),
  );
  const over = new AbortController();
  const exit = await Promise.race([child.exited, late, waitForAbort(stop, over.signal)]);
  over.abort();
  if (exit === null) await endTree({ pid: child.pid, marker, isWalled: child.isWalled });
  // A server that a test left running would stay for the next gate, and for ever.
  await killUntilDrained(child, marker, started);
  const output = await reading;
  work.over();
  log.close();
  if (stop?.aborted) throw new GateStopped(`The gate ${gate.name} was stopped.`);
  // Neither a sandbox that cannot be built nor a machine that is full says anything about the work.
  if (child.isWalled && exit?.error?.startsWith(UNBUILT))
    throw new MachineFailed(`The gate ${gate.name} could not run, because ${exit.error}; see: ralph doctor`);
  const lack = explainLack(exit?.error ?? null);
  if (lack !== null) throw new MachineFailed(`The gate ${gate.name} could not be started: ${lack}.`);
  const problem = withRefused(findProblem(gate, exit, output), child.refused);
  const result = {
    name: gate.name,
    command: typeof gate.command === 'string' ? gate.command : gate.command.join(' '),
    definition: gateDefinition(gate),
    required: gate.required,
    passed: problem === null,
    exit_code: exit?.code ?? null,
    duration_ms: performance.now() - started,
    tail: problem === null ? '' : `${failureTail(output.text)}\n${problem}`.trim(),
    log: logFile,
    tree_hash,
    was_red: false,
  };
  return {
    result,
    endedBy: exit === null ? null : endedFromOutside(exit),
    // A gate that reached its timeout would take as long again.
    mayBeFlaky: problem !== null && exit !== null && exit.error === null,
  };
}

/** Without colours: agents and people read it. The first failure may be far above the end, so it comes first. */
function failureTail(output: string): string {
  const text = plainOutput(output).trimEnd();
  const tail = text.slice(-TAIL_CHARACTERS);
  const first = tail === text ? null : failureIn(text);
  return first === null || tail.includes(first) ? tail : `${first}\n...\n${tail}`;
}

/** Signals that a program does not send to itself. SIGSEGV, SIGABRT and the like are its own crash, and a failure. */
const FROM_OUTSIDE: readonly string[] = ['SIGKILL', 'SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'];

/** How a shell reports that its child was killed. Not 129 to 131: programs such as git exit with these by themselves. */
const SHELL_CODES: Readonly<Record<number, string>> = { 137: 'SIGKILL', 143: 'SIGTERM' };

/** The signal, or null if the program ended by itself. */
function endedFromOutside({ code, signal }: Exit): string | null {
  if (signal !== null) return FROM_OUTSIDE.includes(signal) ? signal : null;
  return SHELL_CODES[code ?? 0] ?? null;
}

const gateDefinition = ({ name, command, expect }: GateConfig): string =>
  JSON.stringify([name, command, expect]);

/** Removes its listener when the gate is over: Node limits the listeners of one signal, and a run has many gates. */
const waitForAbort = (stop: AbortSignal | undefined, signal: AbortSignal): Promise<null> =>
  new Promise((over) => {
    if (stop?.aborted) over(null);
    else stop?.addEventListener('abort', () => over(null), { once: true, signal });
  });

/** Why the gate did not pass, or null. An exit code needs no words. */
function findProblem(
  { timeout_seconds, expect }: GateConfig,
  exit: Exit | null,
  { text, hasExpected }: GateOutput,
): string | null {
  if (exit === null) return `(Ralph ended it after ${timeout_seconds} seconds.)`;
  if (exit.error !== null) return `(It could not be started: ${exit.error}.)`;
  if (exit.code !== 0) return exit.signal === null ? '' : `(It was ended by ${exit.signal}.)`;
  const runner = findEmptyTestRunner(text);
  if (runner !== null) return `(Its exit code is 0, but ${runner} ran no test: that proves nothing.)`;
  return hasExpected ? null : `(Its exit code is 0, but its output does not contain "${expect}".)`;
}

/** A gate that lacks the network fails for no reason that its own output names. */
function withRefused(problem: string | null, refused: Refused): string | null {
  const text = refusedText(refused);
  return problem === null || text === null ? problem : `${problem}\n(${text})`.trim();
}

const markerVariable = (marker: Marker): Record<string, string> => {
  const at = marker.indexOf('=');
  return { [marker.slice(0, at)]: marker.slice(at + 1) };
};

export type GatesRun = Omit<GateRun, 'logFile'> & {
  logFolder: string;
  /** Results of this session: its supervisor may have been killed after some gates. */
  sessionResults: readonly GateResult[];
  /** Results for the tree before the work. */
  resultsBefore: readonly GateResult[];
  /** Called when one begins, and with its result when it has ended. */
  onGate?: ((gate: GateConfig, result: GateResult | null) => void | Promise<void>) | undefined;
  /** Whether the files are those that the gate began with, put back if need be. Without it no gate runs twice. */
  areFilesUnchanged?: ((gate: GateConfig) => Promise<boolean>) | undefined;
  onFlaky?: ((gate: string) => void | Promise<void>) | undefined;
};

/**
 * Runs the gates one after another, each with its own log. Ignores what another session proved about the same tree: a gate may
 * depend on more than the tree.
 */
export async function runGates(
  gates: readonly GateConfig[],
  { logFolder, sessionResults, resultsBefore, onGate, areFilesUnchanged, onFlaky, ...run }: GatesRun,
): Promise<GateResult[]> {
  const results: GateResult[] = [];
  for (const gate of gates) {
    const logFile = join(logFolder, `${gate.name.replace(/[^\w.-]+/g, '-')}.log`);
    const passed = findResult(gate, sessionResults, true);
    if (passed === undefined) onGate?.(gate, null);
    // Run a failed gate again: what it lacked may be outside the tree, and present by now.
    const result =
      passed ?? (await runRetried(gate, { ...run, logFile }, areFilesUnchanged).catch(killedOptional(gate)));
    if (passed === undefined) await onGate?.(gate, result);
    if (passed === undefined && result.flaky) await onFlaky?.(gate.name);
    const was_red = findResult(gate, resultsBefore, false) !== undefined;
    results.push({ ...result, required: gate.required, was_red });
  }
  return results;
}

/** A red gate runs once more: one that then passes on the same files is flaky, and refutes nothing. */
async function runRetried(
  gate: GateConfig,
  run: GateRun,
  areFilesUnchanged: GatesRun['areFilesUnchanged'],
): Promise<GateResult> {
  const { result: first, mayBeFlaky } = await runUnlessKilled(gate, run);
  if (gate.flaky !== 'retry' || !mayBeFlaky) return first;
  // A gate that repairs files, as formatters do, passes the second time on files that are never committed.
  if (!(await areFilesUnchanged?.(gate))) return first;
  const second = await runGate(gate, run);
  const result = { ...second, duration_ms: first.duration_ms + second.duration_ms };
  return second.passed ? { ...result, tail: first.tail, flaky: true } : result;
}

/** An optional gate refutes nothing, so it stops no task. Without its definition no later run uses the result. */
const killedOptional =
  ({ required }: GateConfig) =>
  (error: unknown): GateResult => {
    if (required || !(error instanceof GateKilled)) throw error;
    return { ...error.result, definition: '' };
  };

/** The last result of this gate with the same definition; with `passed`, the last that passed or failed. */
export const findResult = (
  gate: GateConfig,
  known: readonly GateResult[],
  passed?: boolean,
): GateResult | undefined =>
  known.find(
    (result) =>
      result.definition === gateDefinition(gate) && (passed === undefined || result.passed === passed),
  );
