import { expect, it } from 'vitest';
import type { GateResult } from '../../../src/domain/sessions/gate.ts';
import { type LandingProblem, NotLanded } from '../../../src/domain/sessions/landing.ts';
import type { Queue } from '../../../src/queue/queue.ts';
import type { Effects } from '../../../src/queue/sessions/finish.ts';
import { showSession } from '../../../src/queue/sessions/sessions.ts';
import { addTasks } from '../../../src/queue/tasks/add.ts';
import { eventsAfter } from '../../../src/store/events.ts';
import { effectsWith, gateResult, openTestQueue, runSession } from '../../support/queue.ts';

const done = { verb: 'done', summary: 'built it' } as const;
const CONFLICT: LandingProblem = { kind: 'conflict', paths: ['a.ts'], onto: 'f'.repeat(40), others: [] };
const RED: LandingProblem = { kind: 'red', onto: 'f'.repeat(40), others: [] };

/** `saved`: the gates of each work that was saved for the next session. */
function outrun(problem: LandingProblem, at: 'gates' | 'commit', gates: readonly GateResult[] = []) {
  const saved: (readonly GateResult[])[] = [];
  const fail = async (): Promise<never> => {
    throw new NotLanded(problem, gates);
  };
  const effects: Effects = {
    ...effectsWith(gateResult(true)),
    saveUnfinished: async (_, results) => {
      saved.push(results);
    },
    ...(at === 'gates' ? { runGates: fail } : { commit: fail }),
  };
  return { effects, saved };
}

const landings = async (queue: Queue) =>
  (await queue.store.read((db) => eventsAfter(db, 0))).filter(({ kind }) => kind === 'landing.ended');

it('work that conflicts when it lands is saved for the next session, and its landing is an event', async () => {
  const queue = await openTestQueue();
  await addTasks(queue, [{ title: 'a' }]);
  const { effects, saved } = outrun(CONFLICT, 'commit');
  const { id, session_id, decision } = await runSession(queue, [done], { effects });
  expect(decision).toMatchObject({ status: 'pending', outcome: 'conflict', attempts: 0 });
  expect(saved).toEqual([[gateResult(true)]]);
  const { session, gates } = await showSession(queue, session_id);
  expect(session.outcome).toBe('conflict');
  expect(gates).toHaveLength(1);
  expect(await landings(queue)).toMatchObject([
    { task_id: id, session_id, data: { state: 'conflict', paths: ['a.ts'], gate_runs: 1 } },
  ]);
  await runSession(queue, [done]);
  expect((await landings(queue))[1]?.data).toEqual({ state: 'landed', commit: 'a1b2c3d', gate_runs: 0 });
});

it.each(['gates', 'commit'] as const)(
  'gates that fail on the merge are stored when %s finds them, and refute nothing by themselves',
  async (at) => {
    const queue = await openTestQueue();
    await addTasks(queue, [{ title: 'a' }]);
    const { effects, saved } = outrun(RED, at, [gateResult(false)]);
    const { session_id, decision } = await runSession(queue, [done], { effects });
    expect(decision).toMatchObject({ status: 'pending', outcome: 'conflict', attempts: 0 });
    expect(decision.comment?.body).toContain('2 failed, first retry.spec.ts:41');
    expect(saved).toEqual([[gateResult(false)]]);
    const { gates } = await showSession(queue, session_id);
    expect(gates.map(({ passed }) => passed)).toEqual(at === 'gates' ? [false] : [true, false]);
    expect((await landings(queue))[0]?.data).toEqual({ state: 'red', gate_runs: gates.length });
  },
);

it('only conflicts in a row add up, and an interrupted session between them changes nothing', async () => {
  const queue = await openTestQueue();
  await addTasks(queue, [{ title: 'a' }]);
  const { effects } = outrun(CONFLICT, 'gates');
  const conflict = async () => (await runSession(queue, [done], { effects })).decision;
  expect((await conflict()).attempts).toBe(0);
  await runSession(queue, [{ verb: 'partial', summary: 'half', remaining: 'half' }]);
  expect((await conflict()).attempts).toBe(0);
  expect((await conflict()).attempts).toBe(0);
  await runSession(queue, [], {
    end: { kind: 'infrastructure', fault: 'supervisor_killed', resume_at: null },
  });
  expect(await conflict()).toMatchObject({ status: 'pending', attempts: 1 });
  expect(await conflict()).toMatchObject({ status: 'pending', attempts: 2 });
  expect(await conflict()).toMatchObject({ status: 'failed', outcome: 'conflict', attempts: 3 });
});

it('a reviewed work that does not land still costs what its review cost', async () => {
  const queue = await openTestQueue();
  await addTasks(queue, [{ title: 'a' }]);
  const { effects } = outrun(CONFLICT, 'commit');
  const usage = { model: 'opus', turns: 1, input_tokens: 2, output_tokens: 3, cost_usd: 0.5 };
  const review: Effects['review'] = async () => ({ review: { approved: true }, usage });
  const { session_id } = await runSession(queue, [done], { effects: { ...effects, review } });
  expect((await showSession(queue, session_id)).session.usage.cost_usd).toBe(0.5);
});
