// Runs the gates on the tip of the trunk before the first session.
import { join } from 'node:path';
import { NeedsPerson } from '../../domain/refusal.ts';
import { type KnownGate, withUnsaved } from '../../domain/sessions/gate.ts';
import { baselineMarker, UNCLAIMED } from '../../host/gates/baseline-gates.ts';
import { findResult } from '../../host/gates/gates.ts';
import { treeOfCommit } from '../../host/git/git.ts';
import { inGateSlot, markerVariable, runGatesIn } from '../../host/landing/slot-gates.ts';
import type { BaselineInput } from './ground.ts';
import type { SlotRun } from './slot-run.ts';

export async function runSlotBaseline(
  { repository, gates, gateGround, requireTip, findUntrusted, proven }: SlotRun,
  { run_id, knownGates, stop, ...listeners }: BaselineInput,
): Promise<KnownGate[]> {
  const tip = await requireTip();
  const tree = await treeOfCommit(repository, tip);
  // Gates that have just judged a merge on this tree need not run again.
  const before = withUnsaved(await knownGates(tree), proven.get(tree) ?? []);
  const unproven = gates.filter((gate) => findResult(gate, before, true) === undefined);
  const passed = gates.flatMap((gate) => findResult(gate, before, true) ?? []);
  const ran =
    unproven.length === 0
      ? []
      : await inGateSlot(gateGround, tip, async (slot) => {
          const untrusted = await findUntrusted(slot.root);
          if (untrusted !== null) throw new NeedsPerson(untrusted);
          return runGatesIn(gateGround, slot, {
            tree,
            gates: unproven,
            logFolder: join(repository.stateDir, 'baseline'),
            marker: markerVariable(baselineMarker(repository, run_id)),
            sessionResults: [],
            resultsBefore: [],
            stop,
            listeners,
            isBaseline: true,
          });
        });
  const known = (result: (typeof ran)[number]): KnownGate => ({
    ...result,
    tree_hash: tree,
    session_id: UNCLAIMED,
    baseline: true,
  });
  return [...passed, ...ran].map(known);
}
