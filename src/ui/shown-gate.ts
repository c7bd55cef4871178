import { firstFailure } from '../domain/sessions/first-failure.ts';
import type { GateResult } from '../domain/sessions/gate.ts';

/** `failure`: the first useful line of what it said, empty where it passed. Found here: a page need not load how. */
export type ShownGate = GateResult & { failure: string };

export const showGate = (gate: GateResult): ShownGate => ({
  ...gate,
  failure: gate.passed ? '' : firstFailure(gate),
});
