// Gate results, stored with the tree that they judge.

import type { Mask } from '../../domain/secrets/mask-secrets.ts';
import type { FlakyGate, GateResult, KnownGate } from '../../domain/sessions/gate.ts';
import type { Session } from '../../domain/sessions/session.ts';
import { toStorable } from '../../domain/text/text.ts';
import { appendEvents } from '../../store/events.ts';
import {
  flakyGatesSince,
  flakyRateSince,
  gateRunsOfTree,
  insertGateRuns,
  isSealed,
  type StoredGateRun,
  sealResult,
} from '../../store/sessions/gate-runs.ts';
import type { Queue } from '../queue.ts';
import { requireHeld } from './live-session.ts';

type GateResultsInput = {
  session: Pick<Session, 'id' | 'run_id' | 'task_id'>;
  results: readonly GateResult[];
  /** Whether the gates ran before the session changed anything. */
  baseline: boolean;
};

export async function saveGateResults(
  queue: Queue,
  { session, results, baseline }: GateResultsInput,
): Promise<void> {
  if (results.length === 0) return;
  const at = queue.now();
  const { id: session_id, run_id, task_id } = session;
  await queue.store.write(async (db) => {
    await requireHeld(db, session_id, run_id);
    const sealed = results.map((gate) => {
      const result = storable(gate, queue.mask);
      const row = { ...result, session_id, baseline, created: at };
      return { ...result, seal: sealResult(row) };
    });
    await insertGateRuns(db, { session_id, results: sealed, baseline, created: at });
    const events = results.map(({ name, passed, required, was_red, flaky }) => ({
      at,
      kind: 'gate.finished' as const,
      task_id,
      session_id,
      run_id,
      data: { name, passed, required, was_red, baseline, ...(flaky ? { flaky } : {}) },
    }));
    await appendEvents(db, events);
  });
}

/** A gate may print any bytes; the stored tail must be valid text. A seal is of what is stored, so secrets go first. */
const storable = (gate: GateResult, mask: Mask): GateResult => ({
  ...gate,
  name: mask(gate.name),
  command: mask(gate.command),
  tail: toStorable(gate.tail),
  duration_ms: Math.round(gate.duration_ms),
});

/**
 * The last result of each gate on exactly this tree. One that another process wrote proves nothing: what passed there counts as
 * a baseline, and what failed there runs again.
 */
export async function knownGateResults(queue: Queue, tree_hash: string): Promise<KnownGate[]> {
  const stored = await queue.store.read((db) => gateRunsOfTree(db, tree_hash));
  const results = new Map<string, KnownGate>();
  const [own, others] = [stored.filter((gate) => isSealed(gate)), stored.filter((gate) => !isSealed(gate))];
  for (const gate of others) if (gate.passed) results.set(gate.definition, asKnown(gate, true));
  for (const gate of own) results.set(gate.definition, asKnown(gate, gate.baseline));
  return [...results.values()];
}

const asKnown = ({ created: _, seal: __, ...gate }: StoredGateRun, baseline: boolean): KnownGate => ({
  ...gate,
  baseline,
});

/** A gate that has not been flaky for so long is taken as repaired. */
const FLAKY_MS = 30 * 24 * 3_600_000;

/** Gates that were flaky in the last weeks, by name. */
export const flakyGates = (queue: Queue): Promise<FlakyGate[]> => {
  const since = queue.now() - FLAKY_MS;
  return queue.store.read((db) => flakyGatesSince(db, since));
};

/** The rate of a gate with a flaky result that is not stored yet. */
export async function rateWithFlaky(queue: Queue, name: string): Promise<FlakyGate> {
  const since = queue.now() - FLAKY_MS;
  const { red, runs } = await queue.store.read((db) => flakyRateSince(db, name, since));
  return { name, red: red + 1, runs: runs + 2 };
}
