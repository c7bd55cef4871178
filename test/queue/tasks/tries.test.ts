import { expect, it } from 'vitest';
import { type JournalEntry, numberEntries } from '../../../src/domain/journal/journal.ts';
import { type InfrastructureFault, NO_USAGE, type SessionEnd } from '../../../src/domain/sessions/session.ts';
import { neverBegan, numberTries, triesText, tryText } from '../../../src/domain/tasks/tries.ts';
import { finish } from '../../../src/queue/sessions/finish.ts';
import { report } from '../../../src/queue/sessions/report.ts';
import { startRun } from '../../../src/queue/sessions/runs.ts';
import { showSession } from '../../../src/queue/sessions/sessions.ts';
import { addTask } from '../../../src/queue/tasks/add.ts';
import { claim } from '../../../src/queue/tasks/claim.ts';
import { show } from '../../../src/queue/tasks/show.ts';
import { taskPage } from '../../../src/queue/tasks/task-page.ts';
import { EXITED, effectsWith, LIMITS, openTestQueue } from '../../support/queue.ts';

it('a try has the same number everywhere, and an interrupted session is no try', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'Build it' });
  const killed: SessionEnd = { kind: 'infrastructure', fault: 'overloaded', resume_at: null };
  const before: (number | undefined)[] = [];
  let run_id = 0;
  for (const [session_id, end] of Object.entries({ a: EXITED, b: killed, c: EXITED })) {
    run_id = await startRun(queue, { pid: 2 ** 22 + 1, process_started: null });
    before.push((await claim(queue, { run_id, session_id }))?.tries);
    await finish(queue, { session_id, run_id, end, usage: NO_USAGE, effects: effectsWith(), limits: LIMITS });
  }
  expect(before).toEqual([0, 1, 1]);
  const { tries, sessions } = await show(queue, 1);
  expect([tries, ...sessions.map(tryText)]).toEqual([2, 'try 1', 'not counted as a try', 'try 2']);
  expect((await showSession(queue, 'c')).session.try).toBe(2);
  expect((await taskPage(queue, { limit: 5, offset: 0 })).tasks).toMatchObject([{ tries: 2 }]);
  expect((await report(queue, run_id)).tasks).toMatchObject([{ sessions: 1, tries: 2 }]);
  expect(numberTries([])).toEqual([]);
});

it('the journal counts claims, and people read tries', () => {
  const entry = (session: string, task: number, attempt: number, outcome: string) =>
    ({ session, task, attempt, outcome }) as JournalEntry;
  const entries = [
    entry('a', 1, 1, 'interrupted'),
    entry('b', 2, 1, 'stuck'),
    entry('c', 1, 2, 'gate_failed'),
    entry('d', 1, 3, 'done'),
  ];
  expect(numberEntries(entries).map(tryText)).toEqual(['not counted as a try', 'try 1', 'try 1', 'try 2']);
  expect([triesText(1), triesText(2)]).toEqual(['1 try', '2 tries']);
});

it('an agent that could not start or reach its API never began; one that may have worked did', () => {
  const ended = (fault: InfrastructureFault, turns = 0) =>
    neverBegan({ end: { kind: 'infrastructure', fault, resume_at: null }, usage: { ...NO_USAGE, turns } });
  expect([ended('cannot_start'), ended('not_logged_in'), ended('unreachable')]).toEqual([true, true, true]);
  expect([ended('unreachable', 3), ended('usage_limit', 1)]).toEqual([false, false]);
  // These come from agents that report no turns, too.
  expect([ended('agent_killed'), ended('mcp_lost'), ended('supervisor_killed')]).toEqual([
    false,
    false,
    false,
  ]);
  expect(neverBegan({ end: EXITED, usage: NO_USAGE })).toBe(false);
});
