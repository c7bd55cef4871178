import type { GateResult } from '../domain/sessions/gate.ts';
import { firstFailure } from '../domain/sessions/gate-output.ts';

/** `failure`: the first useful line of what it said, empty where it passed. Found here: a page need not load how. */
export type ShownGate = GateResult & { failure: string };

export const showGate = (gate: GateResult): ShownGate => ({
  ...gate,
  failure: gate.passed ? '' : firstFailure(gate),
});
