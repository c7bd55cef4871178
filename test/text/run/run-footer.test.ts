import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { wallTime } from '../../../src/domain/text/amounts.ts';
import type { AtWork } from '../../../src/text/run/at-work.ts';
import { footer } from '../../../src/text/run/run-footer.ts';
import { nextState, type RunState } from '../../../src/text/run/run-state.ts';
import { width } from '../../../src/text/terminal/table.ts';
import { atWork, ESCAPES, finished, NOW, oneAtWork, question, runState } from '../../support/run-state.ts';

const draw = (state: RunState, columns = 80, color = false, rows = 24): string[] =>
  footer(state, NOW, { columns, rows, color });

const NONE = { sessions: new Map() };

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
    const gate = { phase: 'before', step, at: NOW - 12_000, task: null } as const;
    const before = runState({ ...NONE, gates_before: new Map([['', gate]]) });
    expect(draw(before)).toContain('  now   checking the gates before starting (lint 1/3, 12s)');
    const running = { phase: 'after', step: { ...step, name: 'test', number: 2 }, at: NOW - 54_000 } as const;
    const after = runState(oneAtWork({ gate: running }));
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
        ...oneAtWork({
          id: 12_345,
          title: '日本語のとても長いタイトル 👩‍💻 with e\u0301 and 한국어 '.repeat(4),
          tries: { number: 2, most: 3 },
          model: 'a-model-with-a-long-name',
          since: NOW,
          turn: 1,
          max_turns: 50,
          answer: null,
          now: { doing: 'working', action: `Bash ${'非常に'.repeat(40)}`, at: NOW },
        }),
        waiting_until: null,
        stopping: 'after',
      });
      const states = [runState(), wide, { ...wide, ...NONE, waiting_until: NOW + 9_000_000 }];
      for (const state of states)
        for (const line of draw(state, columns, true))
          expect(width(stripVTControlCharacters(line))).toBeLessThanOrEqual(columns);
    },
  );

  it('the footer makes control characters of agents and tasks visible', () => {
    const state = runState();
    const hostile = runState({
      ...oneAtWork({
        title: ESCAPES,
        model: ESCAPES,
        now: { doing: 'working', action: ESCAPES, at: NOW },
      }),
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
    const plain = runState(oneAtWork({ answer: null }));
    expect(draw(plain)[1]).toBe('▶ #5 Supervisor loop  try 1/3  02:41  31 lines  haiku  $0.34');
  });

  it('the footer counts down while the run waits for a limit', () => {
    const until = NOW + 252_000;
    const waiting = { ...NONE, waiting_until: until };
    expect(draw(runState({ ...waiting, waiting_for: 'usage_limit' }))[1]).toMatch(
      new RegExp(`^⏸ usage limit, trying again in 04:12 +until ${wallTime(until)}$`),
    );
    expect(draw(runState(waiting))[1]).toMatch(/^⏸ no task may start yet, 04:12 left /);
  });

  it('the footer names the outage that the run waits for', () => {
    const waiting = { ...NONE, waiting_until: NOW + 5_000, waiting_for: 'unreachable' as const };
    expect(draw(runState(waiting))[1]).toMatch(/^⏸ the API cannot be reached, trying again in 00:05 /);
  });

  it('the footer names an agent that waits while others work, until its time has come', () => {
    const until = NOW + 60_000;
    const parked = nextState(
      runState(),
      { kind: 'parked', agent: 'codex', until, fault: 'usage_limit', sentence: null },
      NOW,
    );
    const shown = (now: number) =>
      footer(parked, now, { columns: 80, rows: 24, color: false }).find((line) => line.includes('codex'));
    expect(shown(NOW)).toMatch(/^⏸ codex: usage limit +until \d\d:\d\d$/);
    expect(shown(until)).toBeUndefined();
    const sentence = 'The agent "codex" is not logged in.';
    const lost = { kind: 'parked', agent: 'codex', until: null, fault: 'not_logged_in', sentence } as const;
    expect(
      footer(nextState(parked, lost, NOW), until, { columns: 80, rows: 24, color: false }).join('\n'),
    ).toMatch(/^⏸ codex: not logged in +not tried again$/m);
  });

  it('the footer shows the task of a review that waits, and the review again afterwards', () => {
    const { claim } = finished({});
    const waiting = nextState(
      runState(),
      { kind: 'waiting', until: NOW + 5_000, fault: 'unreachable', agent: 'codex' },
      NOW,
    );
    expect(draw(waiting)[1]).toMatch(/^▶ #5 Supervisor loop /);
    expect(draw(waiting)[2]).toMatch(/^⏸ codex: the API cannot be reached, trying again in 00:05 /);
    const reviewing = nextState(waiting, { kind: 'reviewing', claim, task_id: 5, model: 'opus' }, NOW);
    expect(draw(reviewing)[2]).toBe('  now   checking the work  0s');
  });

  it('the footer forgets a killed gate when its session ends', () => {
    const step = { name: 'test', number: 1, of: 1, ended: null };
    const { claim } = finished({});
    const killed = nextState(runState(), { kind: 'gate', phase: 'after', claim, step }, NOW);
    expect(draw(killed)[2]).toBe('  now   gates 1/1: test, 0s');
    expect(draw(nextState(killed, finished({ status: 'pending' }), NOW))[1]).toBe(
      '  now   taking the next task',
    );
    const started = nextState(
      killed,
      { kind: 'started', claim, slot: null, model: 'haiku', max_turns: 50 },
      NOW,
    );
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

describe('the footer of a run with several sessions', () => {
  const gate = (name: string, at: number) =>
    ({ phase: 'after', step: { name, number: 2, of: 3, ended: null }, at }) as const;

  /** #1 works, #2 is checked, #3 lands, and the others wait to land. */
  const several = (count: number): RunState => {
    const session = (id: number): AtWork =>
      atWork({
        id,
        title: `Task number ${id} with a rather long title`,
        slot: id,
        ...(id === 2 && { phase: 'proving', gate: gate('test', NOW - 54_000) }),
        ...(id === 3 && { phase: 'landing', gate: gate('lint', NOW - 3_000) }),
        ...(id > 3 && { phase: 'landing', behind: id === 4 ? [3] : [3, 4] }),
      });
    const ids = Array.from({ length: count }, (_, index) => index + 1);
    return runState({ jobs: count, sessions: new Map(ids.map((id) => [`s${id}`, session(id)])) });
  };

  it('the footer has a row for each session, the train, and one line of counts in 80 columns', () => {
    expect(draw(several(5))).toEqual([
      '─'.repeat(80),
      '▶ #1 Task number 1 with a …  slot 1  02:41  Edit src/supervisor.ts, 6s ago',
      '▶ #2 Task number 2 with a …  slot 2  02:41  gates 2/3: test, 54s',
      '▶ #3 Task number 3 with a …  slot 3  02:41  landing, gates 2/3: lint, 3s',
      '▶ #4 Task number 4 with a …  slot 4  02:41  waits to land after #3',
      '▶ #5 Task number 5 with a …  slot 5  02:41  waits to land after #3 #4',
      '  Landing #3, then #4 #5',
      '? Q2 #4 waits 11m: "REST or gRPC for the agent API?"        ralph answer 2 "..."',
      '  2 at work · 3 landing · 3 ready · 1 failed · 1 asking · 2 of 12 done · $2.16',
    ]);
  });

  it('the rows of sessions take a third of the screen at most, and the rest is counted', () => {
    const lines = draw(several(9), 120, false, 24);
    expect(lines.filter((line) => line.startsWith('▶'))).toHaveLength(8);
    expect(lines.at(-1)).toContain('2 at work · 7 landing · 1 not shown');
    expect(draw(several(9), 120, false, 30).join('\n')).not.toContain('not shown');
  });

  it('the footer shows no train where one session lands alone', () => {
    expect(draw(several(3)).join('\n')).not.toContain('Landing');
  });

  it('a row keeps its place when its session begins to land', () => {
    const [before, after] = [several(3), several(3)].map(({ sessions }) => sessions);
    const first = before?.get('s1');
    const moved = new Map([...(after ?? [])].filter(([id]) => id !== 's1'));
    if (first !== undefined) moved.set('s1', { ...first, phase: 'landing' });
    expect(draw({ ...several(3), sessions: moved })[1]).toMatch(/^▶ #1 /);
  });

  it('the footer says that a Ctrl-C is about all sessions', () => {
    expect(draw({ ...several(2), stopping: 'after' })[1]).toBe(
      '■ stopping after these tasks, Ctrl-C again ends them now',
    );
    expect(draw({ ...several(2), stopping: 'now' })[1]).toContain('ending these sessions now');
  });

  it('the footer names slots that are made ready, and gates before a session', () => {
    const before = {
      ...gate('lint', NOW - 12_000),
      phase: 'before',
      task: { id: 7, title: 'Next' },
    } as const;
    const state = {
      ...several(2),
      slots: new Map([[3, { step: 'setup', detail: 'npm ci', at: NOW - 9_000 } as const]]),
      gates_before: new Map([['s7', before]]),
    };
    expect(draw(state)).toContain('  slot 3  setting up the slot (npm ci), 9s');
    expect(draw(state)).toContain('  #7 checking the gates before starting (lint 2/3, 12s)');
    expect(draw({ ...state, jobs: 1, sessions: new Map() })).toContain(
      '  now   setting up the slot (npm ci), 9s',
    );
  });

  it('the footer shows what waits for the checkout until it is there', () => {
    const checkout = { branch: 'main', commits: 3, reason: 'Commit src/a.ts first.' };
    for (const state of [several(2), runState()])
      expect(draw({ ...state, checkout })).toContainEqual(
        expect.stringMatching(/^! 3 commits wait for main +ralph land$/),
      );
  });

  it.each([1, 7, 16, 20, 33, 40, 61, 80, 120, 300])(
    'the footer of several sessions is never wider than %i columns, and shows no control character',
    (columns) => {
      const { sessions } = several(9);
      const hostile = new Map(
        [...sessions].map(([id, session], index) => [
          id,
          {
            ...session,
            title: index % 2 === 0 ? ESCAPES : '日本語のとても長いタイトル'.repeat(4),
            now: { doing: 'working', action: ESCAPES.repeat(3), at: NOW },
          } as const,
        ]),
      );
      const state: RunState = {
        ...several(9),
        sessions: hostile,
        stopping: 'after',
        waiting_until: NOW + 9_000_000,
        checkout: { branch: ESCAPES, commits: 3, reason: ESCAPES },
        slots: new Map([[3, { step: 'setup', detail: ESCAPES, at: NOW }]]),
      };
      for (const line of draw(state, columns)) {
        expect(width(line)).toBeLessThanOrEqual(columns);
        expect(line).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/);
      }
      expect(draw(state, columns, true).map(stripVTControlCharacters)).toEqual(draw(state, columns));
    },
  );
});
