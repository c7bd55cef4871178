// `ralph doctor --gates` runs each gate once on the tree as it is: a red gate should be found before an agent is paid for it.
import { join } from 'node:path';
import { requireTrusted } from '../../app/definitions/trust.ts';
import { type Project, withQueue } from '../../app/open-project.ts';
import { openProjectSandbox } from '../../app/sessions/sandbox.ts';
import type { CommandContext } from '../../app/world.ts';
import type { GateConfig } from '../../domain/config.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { GateResult } from '../../domain/sessions/gate.ts';
import { firstFailure } from '../../domain/sessions/gate-output.ts';
import { duration } from '../../domain/text/amounts.ts';
import { visible } from '../../domain/text/text.ts';
import { GateKilled, GateStopped, runGates } from '../../host/gates/gates.ts';
import { watchOver } from '../../host/processes/watcher.ts';
import { insideCheckout } from '../../host/sandbox/inside.ts';
import type { Sandbox } from '../../host/sandbox/sandbox.ts';
import { readConfig } from '../../project/read-config.ts';
import { shortPath } from '../../text/session-text.ts';
import type { Finding } from './checks.ts';

/** `isStopped`: the person stopped it before every gate had run. */
export type Tried = { findings: Finding[]; isStopped: boolean };

export const runGatesOnce = (context: CommandContext): Promise<Tried> =>
  whereTrusted(context, 'gates', async (project, stop) => {
    const config = await readConfig(project.root);
    const { sandbox } = await openProjectSandbox(context, project, config);
    return (await tryGates({ ...config, sandbox }, context, project, stop)).map(({ finding }) => finding);
  });

/** Runs what the project's files name, if a person trusts that. A refusal becomes a finding. */
export async function whereTrusted(
  context: CommandContext,
  name: string,
  work: (project: Project, stop: AbortSignal) => Promise<Finding[]>,
): Promise<Tried> {
  try {
    return await withQueue(context, async (project) => {
      await requireTrusted(context, project);
      const watching = watchOver([context.program.node, context.program.script]);
      // The command does nothing else, so the first Ctrl-C ends it.
      const { after: stop } = context.pipes.interrupts();
      try {
        return { findings: await work(project, stop), isStopped: stop.aborted };
      } finally {
        await watching.close();
      }
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const findings = [{ name, ok: false, detail: visible(error.message) }];
    return { findings, isStopped: error instanceof GateStopped };
  }
}

/** `passed`: null if the gate gave no result. */
export type TriedGate = { gate: GateConfig; passed: boolean | null; finding: Finding };

/** Each gate on the checkout as it is, in the sandbox of a run in place: an agent may have written what it executes. */
export async function tryGates(
  { gates, sandbox }: { gates: readonly GateConfig[]; sandbox: Sandbox },
  { env, cwd }: CommandContext,
  { root, stateDir }: Project,
  stop: AbortSignal,
): Promise<TriedGate[]> {
  const tried: TriedGate[] = [];
  const enclosure = sandbox.enclose(insideCheckout({ root, env, stateDir }, 'gate', { home: null }));
  const run = { root, env, tree_hash: null, stop, enclosure, sessionResults: [], resultsBefore: [] };
  for (const gate of gates) {
    if (stop.aborted) break;
    const name = `run ${gate.name}`;
    try {
      const [result] = await runGates([gate], { ...run, logFolder: join(stateDir, 'doctor') });
      if (result === undefined) throw new Error('runGates returned no result');
      tried.push({ gate, passed: result.passed, finding: { name, ...gateFinding(gate, result, cwd) } });
    } catch (error) {
      if (!(error instanceof GateKilled || error instanceof GateStopped)) throw error;
      tried.push({ gate, passed: null, finding: { name, ok: false, detail: visible(error.message) } });
    }
  }
  return tried;
}

export function gateFinding(gate: GateConfig, result: GateResult, cwd: string): Omit<Finding, 'name'> {
  const time = duration(result.duration_ms);
  if (result.passed) return { ok: true, detail: `passed in ${time}` };
  const log = result.log === null ? '' : `; full output: ${shortPath(result.log, cwd)}`;
  return {
    ok: !gate.required,
    detail: visible(
      `failed in ${time}${gate.required ? '' : ', not required'}: ${firstFailure(result)}${log}`,
    ),
  };
}
