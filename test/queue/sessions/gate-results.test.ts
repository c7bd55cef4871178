import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import type { GateResult } from '../../../src/domain/sessions/gate.ts';
import type { Queue } from '../../../src/queue/queue.ts';
import { knownGateResults, saveGateResults } from '../../../src/queue/sessions/gate-results.ts';
import { startRun } from '../../../src/queue/sessions/runs.ts';
import { addTask } from '../../../src/queue/tasks/add.ts';
import { claim } from '../../../src/queue/tasks/claim.ts';
import { openBetterSqlite } from '../../../src/store/better-sqlite.ts';
import { sealResult } from '../../../src/store/sessions/gate-runs.ts';
import { gateResult, newSessionId, openTestQueue } from '../../support/queue.ts';

const TREE = 'a'.repeat(40);

async function gated(result: Partial<GateResult> = {}): Promise<{ queue: Queue; session: string }> {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'Build it' });
  const run_id = await startRun(queue, { pid: process.pid, process_started: null });
  const claimed = await claim(queue, { run_id, session_id: newSessionId() });
  if (claimed === null) throw new Error('nothing is ready');
  const results = [{ ...gateResult(true), tree_hash: TREE, ...result }];
  await saveGateResults(queue, { session: claimed.session, results, baseline: false });
  return { queue, session: claimed.session.id };
}

function tamper(queue: Queue, sql: string, ...values: unknown[]): void {
  const database = openBetterSqlite(queue.store.path);
  database.pragma('foreign_keys = off');
  database.prepare(sql).run(...values);
  database.close();
}

/** What would spare the session its gates. */
const proofs = async (queue: Queue, session: string, tree = TREE) =>
  (await knownGateResults(queue, tree)).filter(
    ({ session_id, baseline }) => session_id === session && !baseline,
  );

it('a gate result of this process spares its session the gate, also if its command held a secret', async () => {
  const { queue, session } = await gated({
    command: 'TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345 npm test',
  });
  expect(await proofs(queue, session)).toMatchObject([{ name: 'test', passed: true }]);
});

it.each([
  ['another tree', "update gate_runs set tree_hash = 'other'", 'other'],
  ['another gate', "update gate_runs set definition = 'lint'", TREE],
  ['another exit code', 'update gate_runs set exit_code = 1', TREE],
  ['another seal', "update gate_runs set seal = 'x'", TREE],
  ['no seal', 'update gate_runs set seal = null', TREE],
])('a gate result that was given %s proves nothing', async (_, sql, tree) => {
  const { queue, session } = await gated();
  tamper(queue, sql);
  expect(await proofs(queue, session, tree)).toEqual([]);
});

it('a failed result that was changed to a passed one proves nothing', async () => {
  const { queue, session } = await gated({ passed: false });
  tamper(queue, 'update gate_runs set passed = 1');
  expect(await proofs(queue, session)).toEqual([]);
});

it('a result that was copied to another session proves nothing there', async () => {
  const { queue } = await gated();
  tamper(queue, "update gate_runs set session_id = 'victim'");
  expect(await proofs(queue, 'victim')).toEqual([]);
});

it('a result that another process sealed counts as a baseline if it passed, and not at all if it failed', async () => {
  for (const passed of [true, false]) {
    const { queue, session } = await gated({ passed });
    const seal = sealResult(
      { ...gateResult(passed), tree_hash: TREE, session_id: session, baseline: false, created: 1 },
      randomBytes(32),
    );
    tamper(queue, 'update gate_runs set seal = ?', seal);
    expect(await proofs(queue, session)).toEqual([]);
    expect((await knownGateResults(queue, TREE)).map(({ baseline }) => baseline)).toEqual(
      passed ? [true] : [],
    );
  }
});
