import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { NOT_RUN } from '../../../src/supervisor/agents/session-end.ts';
import type { SupervisorEvent } from '../../../src/supervisor/input.ts';
import { pipeLines } from '../../../src/text/run/pipe-lines.ts';
import { eventLines, headerLine } from '../../../src/text/run/run-lines.ts';
import { nextState } from '../../../src/text/run/run-state.ts';
import { width } from '../../../src/text/terminal/table.ts';
import { gateResult } from '../../support/queue.ts';
import { atWork, claimOf, ESCAPES, finished, NOW, runState } from '../../support/run-state.ts';

function lines(event: SupervisorEvent, columns = 80, before = runState()): string[] {
  return eventLines(event, nextState(before, event, NOW), { columns, color: false });
}

describe('a finished task', () => {
  it('a done task has one line with tries, time, cost, gates and commit', () => {
    expect(lines(finished({}))).toEqual([
      '✓ #1 Create queue schema           1 try     3m12s   $0.21  gates 2/2  a1b2c3d',
    ]);
    expect(lines(finished({}, { gates: [], commit: null }), Number.POSITIVE_INFINITY)).toEqual([
      '✓ #1 Create queue schema             1 try     3m12s   $0.21  done, no gates',
    ]);
  });

  it('the line of a task adds up its tries of this run', () => {
    const first = finished({ status: 'pending', outcome: 'gate_failed' }, { gates: [gateResult(false)] });
    const before = nextState(runState(), first, NOW);
    const second = { ...finished({}), claim: { ...first.claim, tries: 1 } };
    expect(lines(second, 80, before)).toEqual([
      '✓ #1 Create queue schema           2 tries   6m24s   $0.42  gates 2/2  a1b2c3d',
    ]);
  });

  it.each([
    [
      'a gate refuted it',
      finished(
        { status: 'failed', outcome: 'gate_failed' },
        { gates: [{ ...gateResult(false), tail: 'ok 1\nnot ok 2 - count\n# duration_ms 130' }] },
      ),
      'failed: gate test',
      /^ {5}not ok 2 - count +ralph show 1$/,
    ],
    [
      'a gate refuted it without a word',
      finished(
        { status: 'pending', outcome: 'gate_failed' },
        { gates: [{ ...gateResult(false), tail: '' }] },
      ),
      'again: gate test',
      /^ {5}gate test failed \(npm test, exit code 1\) +ralph show 1$/,
    ],
    [
      'it asks',
      finished({ status: 'needs_input', outcome: 'partial' }, { questions: [{ id: 2, question: 'REST?' }] }),
      'asked Q2',
      /^ {5}REST\? +ralph answer 2 "\.\.\."$/,
    ],
    [
      'it is blocked',
      finished({ status: 'blocked', outcome: 'partial', blocked_by: 'the vendor' }),
      'blocked',
      /^ {5}the vendor +ralph why 1$/,
    ],
    [
      'it was stuck too often',
      finished({ status: 'failed', outcome: 'stuck', comment: { author: 'agent', body: 'Stuck: no key' } }),
      'failed: stuck',
      /^ {5}Stuck: no key +ralph show 1$/,
    ],
    [
      'something is left to do',
      finished({
        status: 'pending',
        outcome: 'partial',
        comment: { author: 'agent', body: 'Half.\n\nRemaining: the rest' },
      }),
      'again: partly done',
      /^ {5}Remaining: the rest +ralph show 1$/,
    ],
    [
      'a usage limit ended it',
      finished(
        { status: 'pending', outcome: 'interrupted' },
        {
          end: { ...NOT_RUN, exit_code: 1, fault: 'usage_limit' },
        },
      ),
      'again: interrupted',
      /^ {5}at no cost to the task \(usage limit\) +ralph show 1$/,
    ],
    [
      'its client says that it is not logged in',
      finished(
        { status: 'pending', outcome: 'interrupted' },
        {
          end: {
            ...NOT_RUN,
            exit_code: 1,
            fault: 'not_logged_in',
            detail: 'Not logged in · Please run /login',
          },
        },
      ),
      'again: interrupted',
      /^ {5}at no cost to the task \(Not logged in · Please run \/login\) +ralph show 1$/,
    ],
  ])(
    'a task that is not done, because %s, has a second line with the useful fact',
    (_, event, word, second) => {
      const [head = '', below = ''] = lines(event);
      expect(head).toContain(word);
      expect(below).toMatch(second);
    },
  );

  it.each([10, 16, 40, 64, 80, 200])(
    'the line of a task takes at most %i columns, and keeps how it ended',
    (columns) => {
      const titles = ['Short', '日本語のとても長いタイトルです'.repeat(5), ESCAPES];
      for (const title of titles) {
        const drawn = lines(
          finished({ status: 'failed', outcome: 'gate_failed' }, { gates: [gateResult(false)] }, title),
          columns,
        );
        for (const line of drawn) {
          expect(width(line)).toBeLessThanOrEqual(columns);
          expect(line).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/);
        }
        if (columns >= 40) expect(drawn[0]).toContain('failed: gate test');
      }
    },
  );
});

it.each(['run', 'worker'] as const)(
  'the first line of ralph %s names it, the project, the number of tasks and the budget',
  (command) => {
    const line = headerLine(runState({ command }), 12, { columns: 80, color: true });
    expect(stripVTControlCharacters(line)).toMatch(
      new RegExp(`^ralph ${command} {2}webshop {2}12 tasks {2}budget \\$8\\.00 +started \\d\\d:\\d\\d$`),
    );
  },
);

it('the turn counter counts an answer of the model once, however many parts it has', () => {
  const { claim } = finished({});
  const turn = (answer: string | null, action: string | null): SupervisorEvent => ({
    kind: 'observed',
    claim,
    observation: { kind: 'turn', action, answer },
  });
  let state = nextState(
    runState(),
    { kind: 'started', claim, slot: null, model: 'haiku', max_turns: 50 },
    NOW,
  );
  for (const event of [
    turn('a', null),
    turn('a', 'Read x'),
    turn('b', null),
    turn(null, null),
    turn(null, null),
  ])
    state = nextState(state, event, NOW);
  // Words between two actions do not hide the last one.
  expect(state.sessions.get('s')).toMatchObject({ turn: 4, now: { doing: 'working', action: 'Read x' } });
});

it('a run without a gate says once that every done is believed', () => {
  expect(lines({ kind: 'without_gates' }, 120)).toEqual([
    '! there is no gate, so every done is believed; add one to .ralph/config.yaml',
  ]);
});

it.each([
  [0, 0, 0, '1/3'],
  [2, 2, 0, '3/3'],
  [2, 0, 2, '3/3'],
  [2, 1, 1, '3/4'],
  [1, 0, 0, '2/4'],
  [8, 0, 8, '9/9'],
])(
  'after %i tries with %i refuted dones and %i times stuck it is try %s',
  (tries, attempts, stuck_count, shown) => {
    const { claim } = finished({});
    const again = { ...claim, tries, task: { ...claim.task, attempts, stuck_count } };
    const [line] = lines({ kind: 'started', claim: again, slot: null, model: 'haiku', max_turns: 50 });
    expect(line).toBe(`▶ #1 Create queue schema  try ${shown}  haiku`);
  },
);

it('a red gate without output is one line', () => {
  const silent = { ...gateResult(false), tail: '' };
  expect(lines({ kind: 'red_baseline', gates: [silent] }, 120)).toEqual([
    '✗ gate test fails before the first session: npm test',
  ]);
});

describe('the lines of a run in a pipe', () => {
  const WIDE = { columns: Number.POSITIVE_INFINITY, color: false };
  const claim = claimOf(7, 'Webhook retry');
  const state = (jobs: number) =>
    runState({ jobs, sessions: new Map([['s7', atWork({ id: 7, title: 'Webhook retry', slot: 2 })]]) });
  const piped = (event: SupervisorEvent, jobs: number): string[] => {
    const before = state(jobs);
    return pipeLines(event, { before, after: nextState(before, event, NOW) }, WIDE);
  };
  const gate: SupervisorEvent = {
    kind: 'gate',
    phase: 'after',
    claim,
    step: { name: 'lint', number: 1, of: 2, ended: { passed: true, duration_ms: 2_000 } },
  };
  const done = { ...finished({}, {}, 'Webhook retry'), claim };

  it('with several jobs each line of a session names its slot and its task', () => {
    const started: SupervisorEvent = { kind: 'started', claim, slot: 2, model: 'haiku', max_turns: 50 };
    expect(piped(started, 3)).toEqual(['slot 2  ▶ #7 Webhook retry  try 1/3  haiku']);
    expect(piped(gate, 3)).toEqual(['slot 2    #7 gates 1/2: lint, 2.0s']);
    expect(piped({ kind: 'not_believed', claim, why: 'no file changed' }, 3)).toEqual([
      'slot 2  ! #7 not believed: no file changed',
    ]);
    expect(piped({ kind: 'phase', claim, phase: 'landing', behind: [4, 5] }, 3)).toEqual([
      'slot 2    #7 waits to land after #4 #5',
    ]);
    expect(piped(done, 3)[0]).toMatch(/^slot 2 {2}✓ #7 Webhook retry /);
    expect(piped({ kind: 'slot', slot: 3, step: 'setup', ended: false, detail: 'npm ci' }, 3)).toEqual([
      'slot 3    setting up the slot (npm ci)',
    ]);
  });

  it('with one job the lines have neither slots nor phases', () => {
    expect(piped(gate, 1)).toEqual(['  gates 1/2: lint, 2.0s']);
    expect(piped({ kind: 'phase', claim, phase: 'landing', behind: [] }, 1)).toEqual([]);
    expect(piped({ kind: 'slot', slot: 1, step: 'making', ended: false, detail: null }, 1)).toEqual([]);
    expect(piped({ kind: 'checkout_followed', branch: 'main', commit: 'a1b2c3d4', commits: 1 }, 1)).toEqual(
      [],
    );
    expect(piped(done, 1)[0]).toMatch(/^✓ #7 Webhook retry /);
  });

  it('a line about a task is cut at the width that the slot leaves', () => {
    const before = state(3);
    const why = 'no file changed '.repeat(9);
    const event: SupervisorEvent = { kind: 'not_believed', claim, why };
    const [line = ''] = pipeLines(event, { before, after: before }, { columns: 60, color: false });
    expect(width(line)).toBe(60);
  });
});

describe('work on its way to the checkout', () => {
  const claim = claimOf(7);
  const others = [{ commit: 'a1b2c3d4e5', subject: 'Count from one' }];

  it('a conflict names the files and what landed meanwhile', () => {
    const paths = ['src/a.ts', 'src/b.ts', 'src/c.ts', 'src/d.ts'];
    expect(lines({ kind: 'not_landed', claim, problem: { kind: 'conflict', paths, others } }, 200)).toEqual([
      '! #7 did not land: src/a.ts, src/b.ts, src/c.ts and 1 more conflict with a1b2c3d "Count from one"; its next session gets both changes',
    ]);
    expect(
      lines({ kind: 'not_landed', claim, problem: { kind: 'red', paths: [], others: [] } }, 200),
    ).toEqual([
      '! #7 did not land: a gate fails on the merge with what landed meanwhile; its next session gets both changes',
    ]);
  });

  it('commits that wait for the person say what to do, and are announced when they are there', () => {
    const reason = 'Commit or stash src/a.ts, then type ralph land.';
    expect(lines({ kind: 'checkout_waits', branch: 'main', commits: 3, reason }, 200)).toEqual([
      `! 3 commits wait for main: ${reason}`,
    ]);
    expect(
      lines({ kind: 'checkout_followed', branch: 'main', commit: 'a1b2c3d4e5', commits: 3 }, 200),
    ).toEqual(['  main is at a1b2c3d (3 new commits)']);
  });

  it('a flaky gate, changed definitions and a repaired slot are warnings', () => {
    expect(lines({ kind: 'flaky_gate', claim, gate: 'test', red: 1, runs: 2 }, 200)).toEqual([
      '! gate test is flaky: 1 of 2 runs was red on files on which it then passed',
    ]);
    expect(lines({ kind: 'definitions_changed', claim, files: ['.ralph/config.yaml'] }, 200)).toEqual([
      '! #7 changed .ralph/config.yaml in its slot; Ralph did not take that over: ralph approve --definitions shows it',
    ]);
    const trusted = { kind: 'trusted_meanwhile', at: 0, added: ['gate a: x'], gone: ['gate a: y'] } as const;
    expect(lines(trusted, 300)[0]).toMatch(
      /^! trust was given while an earlier run was at work, at .+, and counts from now on: now "gate a: x"; before "gate a: y"$/,
    );
    const repaired = { kind: 'slot', slot: 2, step: 'repaired', ended: true, detail: 'no index' } as const;
    expect(lines(repaired, 200)).toEqual(['! slot 2 was damaged and is repaired: no index']);
  });
});
