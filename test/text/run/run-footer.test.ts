import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { wallTime } from '../../../src/domain/text/amounts.ts';
import { footer } from '../../../src/text/run/run-footer.ts';
import { nextState, type RunState } from '../../../src/text/run/run-state.ts';
import { width } from '../../../src/text/terminal/table.ts';
import { ESCAPES, finished, NOW, question, runState } from '../../support/run-state.ts';

const draw = (state: RunState, columns = 80, color = false): string[] =>
  footer(state, NOW, { columns, color });

describe('the footer of a run', () => {
  it('the footer shows the current task, questions, the queue and the cost in 80 columns', () => {
    expect(draw(runState())).toEqual([
      '─'.repeat(80),
      '▶ #5 Supervisor loop  try 1/3  02:41  turn 31/50  haiku  $0.34',
      '  now   Edit src/supervisor.ts  6s ago',
      '? Q2 #4 waits 11m: "REST or gRPC for the agent API?"        ralph answer 2 "..."',
      '  Queue 2 done  1 running  3 ready  4 waiting  1 failed  1 asking  of 12',
      '  Spent $2.16 of $8.00   24m33s',
    ]);
  });

  it('the footer names the running gate, before a session and after it', () => {
    const step = { name: 'lint', number: 1, of: 3, ended: null };
    const before = runState({ current: null, gate: { phase: 'before', step, at: NOW - 12_000 } });
    expect(draw(before)).toContain('  now   checking the gates before starting (lint 1/3, 12s)');
    const after = runState({
      gate: { phase: 'after', step: { ...step, name: 'test', number: 2 }, at: NOW - 54_000 },
    });
    expect(draw(after)).toContain('  now   gates 2/3: test, 54s');
  });

  it('the footer keeps the time, the state and the command to type in 40 columns', () => {
    expect(draw(runState(), 40)).toEqual([
      '─'.repeat(40),
      '▶ #5 Supervisor loop  try 1/3  02:41',
      '  now   Edit src/supervisor.ts  6s ago',
      '? Q2 #4 waits 11m…  ralph answer 2 "..."',
      '  Queue 2 done  1 running  3 ready',
      '        4 waiting  1 failed  1 asking',
      '        of 12',
      '  Spent $2.16 of $8.00   24m33s',
    ]);
  });

  it('the footer says that the cost is not reported, once a session has ended without one', () => {
    const total = { sessions: 1, cost_usd: 0, input_tokens: 0, output_tokens: 0 };
    expect(draw(runState({ total }), 40)).toContain('  Spent not reported   24m33s');
    expect(draw(runState({ total: { ...total, sessions: 0 } }), 40)).toContain(
      '  Spent $0.00 of $8.00   24m33s',
    );
  });

  it.each([1, 7, 16, 20, 33, 40, 61, 80, 120, 300])(
    'the footer is never wider than %i columns',
    (columns) => {
      const wide = runState({
        current: {
          id: 12_345,
          title: '日本語のとても長いタイトル 👩‍💻 with e\u0301 and 한국어 '.repeat(4),
          tries: { number: 2, most: 3 },
          model: 'a-model-with-a-long-name',
          since: NOW,
          turn: 1,
          max_turns: 50,
          answer: null,
          now: { doing: 'working', action: `Bash ${'非常に'.repeat(40)}`, at: NOW },
        },
        waiting_until: null,
        stopping: 'after',
      });
      const states = [runState(), wide, { ...wide, current: null, waiting_until: NOW + 9_000_000 }];
      for (const state of states)
        for (const line of draw(state, columns, true))
          expect(width(stripVTControlCharacters(line))).toBeLessThanOrEqual(columns);
    },
  );

  it('the footer makes control characters of agents and tasks visible', () => {
    const state = runState();
    const hostile = runState({
      current: state.current && {
        ...state.current,
        title: ESCAPES,
        model: ESCAPES,
        now: { doing: 'working', action: ESCAPES, at: NOW },
      },
      queue: state.queue && { ...state.queue, questions: [question(1, ESCAPES)] },
    });
    for (const line of draw(hostile, 200)) expect(line).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/);
    expect(draw(hostile, 300).join('\n')).toContain('Red ␛[31malert');
  });

  it('the footer has escape codes only if colours are on', () => {
    expect(draw(runState()).join('')).not.toContain('\x1b');
    expect(draw(runState(), 80, true).join('')).toContain('\x1b[');
    expect(draw(runState(), 80, true).map(stripVTControlCharacters)).toEqual(draw(runState()));
  });

  it('the footer counts the lines of an agent that does not tell its turns, and names no limit for them', () => {
    const { current } = runState();
    const plain = runState({ current: current && { ...current, answer: null } });
    expect(draw(plain)[1]).toBe('▶ #5 Supervisor loop  try 1/3  02:41  31 lines  haiku  $0.34');
  });

  it('the footer counts down while the run waits for a limit', () => {
    const until = NOW + 252_000;
    const waiting = { current: null, waiting_until: until };
    expect(draw(runState({ ...waiting, waiting_for: 'usage_limit' }))[1]).toMatch(
      new RegExp(`^⏸ usage limit, trying again in 04:12 +until ${wallTime(until)}$`),
    );
    expect(draw(runState(waiting))[1]).toMatch(/^⏸ no task may start yet, 04:12 left /);
  });

  it('the footer names the outage that the run waits for', () => {
    const waiting = { current: null, waiting_until: NOW + 5_000, waiting_for: 'unreachable' as const };
    expect(draw(runState(waiting))[1]).toMatch(/^⏸ the API cannot be reached, trying again in 00:05 /);
  });

  it('the footer shows the task of a review that waits, and the review again afterwards', () => {
    const waiting = nextState(runState(), { kind: 'waiting', until: NOW + 5_000, fault: 'unreachable' }, NOW);
    expect(draw(waiting)[1]).toMatch(/^▶ #5 Supervisor loop /);
    expect(draw(waiting)[2]).toMatch(/^⏸ the API cannot be reached, trying again in 00:05 /);
    const reviewing = nextState(waiting, { kind: 'reviewing', task_id: 5, model: 'opus' }, NOW);
    expect(draw(reviewing)[2]).toBe('  now   checking the work  0s');
  });

  it('the footer forgets a killed gate when its session ends', () => {
    const step = { name: 'test', number: 1, of: 1, ended: null };
    const killed = nextState(runState(), { kind: 'gate', phase: 'after', step }, NOW);
    expect(draw(killed)[2]).toBe('  now   gates 1/1: test, 0s');
    expect(draw(nextState(killed, finished({ status: 'pending' }), NOW))[1]).toBe(
      '  now   taking the next task',
    );
    const { claim } = finished({});
    const started = nextState(killed, { kind: 'started', claim, model: 'haiku', max_turns: 50 }, NOW);
    expect(draw(started)[2]).toBe('  now   starting the agent  0s');
  });

  it('the footer says what a second Ctrl-C does, also on a narrow terminal', () => {
    expect(draw(runState({ stopping: 'after' }))[1]).toBe(
      '■ stopping after this task, Ctrl-C again ends it now',
    );
    expect(draw(runState({ stopping: 'after' }), 40)[1]).toBe('■ stopping; Ctrl-C again ends it');
    expect(draw(runState({ stopping: 'now' }))[1]).toContain('ending this session now');
  });

  it('the footer shows three questions and counts the rest', () => {
    const { queue } = runState();
    const questions = [1, 2, 3, 4, 5].map((id) => question(id, 'Which?'));
    const lines = draw(runState({ queue: queue && { ...queue, questions } }));
    expect(lines.filter((line) => line.startsWith('? Q'))).toHaveLength(3);
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}2 more questions +ralph status$/));
  });
});
