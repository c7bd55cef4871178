// Tells a process its own gate results from those of others.
//
// A stored result spares a gate only if the process that would run it has sealed it: the key is made at start, lives in memory and is
// written nowhere. So no row that anything else wrote, copied or changed lets a gate be skipped. The price: after a crash the gates
// run again on what was proven but not settled. What earlier runs found stays useful as a baseline, where a forged pass can only
// turn against the session that relies on it.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { GateResult } from '../../domain/sessions/gate.ts';

const KEY = randomBytes(32);

/** `created`: when the row was written. */
export type SealedResult = Pick<
  GateResult,
  'name' | 'command' | 'definition' | 'required' | 'passed' | 'exit_code' | 'tree_hash' | 'was_red'
> & { session_id: string; baseline: boolean; created: number };

export const sealResult = (
  {
    name,
    command,
    definition,
    required,
    passed,
    exit_code,
    tree_hash,
    was_red,
    session_id,
    baseline,
    created,
  }: SealedResult,
  key: Buffer = KEY,
): string =>
  createHmac('sha256', key)
    .update(
      JSON.stringify([
        ...[name, command, definition, required, passed, exit_code],
        ...[tree_hash, was_red, session_id, baseline, created],
      ]),
    )
    .digest('hex');

export function isSealed(result: SealedResult & { seal: string | null }, key: Buffer = KEY): boolean {
  const [seal, expected] = [Buffer.from(result.seal ?? ''), Buffer.from(sealResult(result, key))];
  return seal.length === expected.length && timingSafeEqual(seal, expected);
}
