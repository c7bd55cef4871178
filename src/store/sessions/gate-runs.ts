import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { FlakyGate, GateResult, KnownGate } from '../../domain/sessions/gate.ts';
import type { Database, Reader, Writer } from '../database.ts';
import { insertRows } from '../rows.ts';

type NewGateRuns = {
  session_id: string;
  results: readonly (GateResult & { seal?: string | null })[];
  baseline: boolean;
  created: number;
};

export type StoredGateRun = KnownGate & { created: number; seal: string | null };

export const insertGateRuns = (
  db: Writer,
  { session_id, results, baseline, created }: NewGateRuns,
): Promise<void> =>
  insertRows(
    db,
    'gate_runs',
    results.map(({ required, passed, was_red, flaky, seal = null, ...result }) => ({
      session_id,
      ...result,
      required: flag(required),
      passed: flag(passed),
      was_red: flag(was_red),
      flaky: flag(flaky === true),
      baseline: flag(baseline),
      seal,
      created,
    })),
  );

const flag = (value: boolean): 0 | 1 => (value ? 1 : 0);

/** The results that prove or refute the session's work, without its baseline. */
export async function gateRunsOfSession(db: Reader, session_id: string): Promise<GateResult[]> {
  const rows = await db
    .selectFrom('gate_runs')
    .selectAll()
    .where('session_id', '=', session_id)
    .where('baseline', '=', 0)
    .orderBy('id')
    .execute();
  return rows.map(fromRow);
}

/** Every result on exactly this tree, oldest first. */
export async function gateRunsOfTree(db: Reader, tree_hash: string): Promise<StoredGateRun[]> {
  const rows = await db
    .selectFrom('gate_runs')
    .selectAll()
    .where('tree_hash', '=', tree_hash)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    ...fromRow(row),
    session_id: row.session_id,
    baseline: row.baseline === 1,
    created: row.created,
    seal: row.seal,
  }));
}

function fromRow(row: Selectable<Database['gate_runs']>): GateResult {
  const {
    id: _id,
    session_id: _session,
    created: _created,
    baseline: _baseline,
    seal: _seal,
    flaky,
    ...result
  } = row;
  return {
    ...result,
    definition: row.definition ?? '',
    required: row.required === 1,
    passed: row.passed === 1,
    was_red: row.was_red === 1,
    ...(flaky === 1 ? { flaky: true } : {}),
  };
}

/** The results of the task's last session that had any. */
export async function lastGatesOfTask(db: Reader, task_id: number): Promise<GateResult[]> {
  const last = await db
    .selectFrom('sessions')
    .innerJoin('gate_runs', 'gate_runs.session_id', 'sessions.id')
    .select('sessions.id')
    .where('sessions.task_id', '=', task_id)
    .where('gate_runs.baseline', '=', 0)
    .orderBy('sessions.token', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last === undefined ? [] : gateRunsOfSession(db, last.id);
}

/** By name: a gate whose command was repaired is still the same gate. A flaky result stands for two runs. */
export async function flakyGatesSince(db: Reader, since: number): Promise<FlakyGate[]> {
  const found = await db
    .selectFrom('gate_runs')
    .select(['name', (eb) => eb.fn.countAll<number>().as('red')])
    .where('flaky', '=', 1)
    .where('created', '>=', since)
    .groupBy('name')
    .orderBy('name')
    .execute();
  const flaky: FlakyGate[] = [];
  for (const { name, red } of found)
    flaky.push({ name, red, runs: (await countRuns(db, name, since)) + red });
  return flaky;
}

async function countRuns(db: Reader, name: string, since: number): Promise<number> {
  const { count } = await db
    .selectFrom('gate_runs')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('name', '=', name)
    .where('created', '>=', since)
    .executeTakeFirstOrThrow();
  return count;
}

/** Of one gate, also if it never was flaky. */
export async function flakyRateSince(db: Reader, name: string, since: number): Promise<FlakyGate> {
  const known = (await flakyGatesSince(db, since)).find((gate) => gate.name === name);
  return known ?? { name, red: 0, runs: await countRuns(db, name, since) };
}

// Tells a process its own gate results from those of others.
//
// A stored result spares a gate only if the process that would run it has sealed it: the key is made at start, lives in memory and is
// written nowhere. So no row that anything else wrote, copied or changed lets a gate be skipped. The price: after a crash the gates
// run again on what was proven but not settled. What earlier runs found stays useful as a baseline, where a forged pass can only
// turn against the session that relies on it.

const KEY = randomBytes(32);

/** `created`: when the row was written. */
type SealedResult = Pick<
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
