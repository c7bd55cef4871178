// `ralph doctor --gates` runs each gate once on the tree as it is: a red gate should be found before an agent is paid for it.
import { join } from 'node:path';
import { type Project, withQueue } from '../../app/open-project.ts';
import { requireTrusted } from '../../app/trust.ts';
import type { CommandContext } from '../../app/world.ts';
import type { GateConfig } from '../../domain/config.ts';
import { Refusal } from '../../domain/refusal.ts';
import { firstFailure } from '../../domain/sessions/gate-output.ts';
import { duration } from '../../domain/text/amounts.ts';
import { visible } from '../../domain/text/text.ts';
import { GateKilled, GateStopped, runGates } from '../../host/gates/gates.ts';
import { watchOver } from '../../host/processes/watcher.ts';
import { readConfig } from '../../project/read-config.ts';
import { shortPath } from '../../text/session-text.ts';
import type { Finding } from './checks.ts';

/** `isStopped`: the person stopped it before every gate had run. */
export async function runGatesOnce(
  context: CommandContext,
): Promise<{ findings: Finding[]; isStopped: boolean }> {
  try {
    return await withQueue(context, async (project) => {
      await requireTrusted(context, project);
      const { gates } = await readConfig(project.root);
      const watching = watchOver([context.program.node, context.program.script]);
      // The command does nothing else, so the first Ctrl-C ends it.
      const { after: stop } = context.pipes.interrupts();
      const findings: Finding[] = [];
      try {
        for (const gate of gates)
          if (!stop.aborted) findings.push(await tryGate(gate, context, project, stop));
      } finally {
        await watching.close();
      }
      return { findings, isStopped: stop.aborted };
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { findings: [{ name: 'gates', ok: false, detail: visible(error.message) }], isStopped: false };
  }
}

async function tryGate(
  gate: GateConfig,
  { env, cwd }: CommandContext,
  { root, stateDir }: Project,
  stop: AbortSignal,
): Promise<Finding> {
  const name = `run ${gate.name}`;
  try {
    const logFolder = join(stateDir, 'doctor');
    const [result] = await runGates([gate], {
      root,
      env,
      tree_hash: null,
      stop,
      sessionResults: [],
      resultsBefore: [],
      logFolder,
    });
    if (result === undefined) throw new Error('runGates returned no result');
    const time = duration(result.duration_ms);
    if (result.passed) return { name, ok: true, detail: `passed in ${time}` };
    const log = result.log === null ? '' : `; full output: ${shortPath(result.log, cwd)}`;
    return {
      name,
      ok: !gate.required,
      detail: visible(
        `failed in ${time}${gate.required ? '' : ', not required'}: ${firstFailure(result)}${log}`,
      ),
    };
  } catch (error) {
    if (!(error instanceof GateKilled || error instanceof GateStopped)) throw error;
    return { name, ok: false, detail: visible(error.message) };
  }
}
