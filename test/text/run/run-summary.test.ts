import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Flag } from '../../../src/domain/tasks/flag.ts';
import type { Tally } from '../../../src/text/run/run-state.ts';
import { type Ended, summary } from '../../../src/text/run/run-summary.ts';
import { width } from '../../../src/text/terminal/table.ts';
import { gateResult } from '../../support/queue.ts';
import { counts, ESCAPES, NOW, question, runState } from '../../support/run-state.ts';

const tally = (id: number, title = `Task ${id}`): [number, Tally] => [
  id,
  {
    id,
    title,
    tries: 1,
    duration_ms: 192_000,
    cost_usd: 0.21,
    proof: { passed: 3, gates: 3, commit: 'a1b2c3d4e5' },
  },
];

const failed = {
  id: 3,
  title: 'Webhook retry',
  tries: 3,
  gate: gateResult(false),
  last_comment: null,
  holds_back: [6, 7, 9],
};

const flag = (id: number, content: Partial<Flag>): Flag => ({
  id,
  task_id: 4,
  severity: 'info',
  category: 'bug',
  what: 'x',
  why: null,
  created: 0,
  closed: null,
  note: null,
  ...content,
});

const ended = (change: Partial<Ended> = {}): Ended => ({
  state: runState({
    run_id: 7,
    sessions: new Map(),
    started: NOW - 5_040_000,
    tallies: new Map([tally(1), tally(2)]),
  }),
  stop: {
    reason: 'waiting',
    exit_code: 10,
    sentence: 'Nothing is ready: 1 failed. Look at #3.',
    resume_at: null,
  },
  now: NOW,
  queue: {
    counts: counts({ done: 7, failed: 1, needs_input: 1, pending: 3, draft: 1, blocked: 1 }),
    ready: 0,
    questions: [
      { ...question(2, 'REST or gRPC for the agent API?'), options: ['REST', 'gRPC'], preferred: 'gRPC' },
      { ...question(3, 'Which colour?'), blocking: false },
    ],
    flags: [
      flag(1, { severity: 'blocking', category: 'security', what: 'The token is logged' }),
      flag(2, { severity: 'info', category: 'split', what: 'Split the module', why: 'It is large.' }),
    ],
    more_flags: 0,
  },
  needs: {
    failed: [failed],
    blocked: [{ id: 5, title: 'Pay by card', blocked_by: 'the vendor' }],
    drafts: [{ id: 8, title: 'Share escape()' }],
    on_hold: [],
  },
  learned: 4,
  definitions: [],
  ...change,
});

const draw = (input: Ended, columns = 80, color = false): string => summary(input, { columns, color });

describe('the summary of a run', () => {
  it('the summary says why the run ended, what needs the person, then what was done', () => {
    expect(draw(ended())).toBe(`Stopped after 1h24m: Nothing is ready: 1 failed. Look at #3.
  7 done  1 failed  1 asking  1 blocked  3 waiting  1 draft  of 14
  [########........] 50%

NEEDS YOU
  ✗ #3 Webhook retry  failed after 3 tries, at gate test
       2 failed, first retry.spec.ts:41
       holds back 3 (#6 #7 #9)                      ralph show 3 | ralph retry 3
  ? Q2 #4: REST or gRPC for the agent API?                 ralph answer 2 "gRPC"
  ! F1 #4: security: The token is logged                      ralph flag close 1
  ■ #5 Pay by card   blocked: the vendor                             ralph why 5
  ~ #8 Share escape()   draft                                    ralph approve 8

FOR LATER
  ? Q3 #4: Which colour?                                    ralph answer 3 "..."
  ! F2 #4: split: Split the module (why: It is large.)        ralph flag close 2

DONE THIS RUN                              tries    time    cost  gates  commit
  ✓ #1 Task 1                                  1   3m12s   $0.21    3/3  a1b2c3d
  ✓ #2 Task 2                                  1   3m12s   $0.21    3/3  a1b2c3d

Cost    $2.16 of $8.00   812k tokens in, 44k out
Learned 4 new                                           ralph learn list --run 7`);
  });

  it('the summary leads with what waits for the checkout', () => {
    const reason = 'src/a.ts has changes that are not committed; commit or stash them, then type ralph land.';
    const { state } = ended();
    const text = draw(ended({ state: { ...state, checkout: { branch: 'main', commits: 3, reason } } }));
    expect(text).toContain(`
NEEDS YOU
  ! 3 commits wait for main                                           ralph land
       src/a.ts has changes that are not committed; commit or stash them, then
       type ralph land.
  ✗ #3 Webhook retry`);
  });

  it('the summary compares the time with that of one session after another, if some ran at once', () => {
    const { state } = ended();
    const parallel = {
      ...state.parallel,
      peak: 3,
      sessions_ms: 3_840_000,
      wall_ms: 1_450_000,
      gate_runs: 25,
      landed: 8,
      conflicts: 2,
    };
    expect(draw(ended({ state: { ...state, parallel } }))).toContain(`
Speed   up to 3 sessions at once, 24m10s instead of 1h04m (2.6 times as fast)
        3.1 gate runs per landed task  2 conflicts
Cost `);
    const alone = { ...parallel, peak: 1 };
    expect(draw(ended({ state: { ...state, parallel: alone } }))).not.toContain('At once');
    const nothing = { ...parallel, landed: 0, red_merges: 1 };
    expect(draw(ended({ state: { ...state, parallel: nothing } }), 120)).toMatch(
      /^Speed {3}up to 3 .* {2}2 conflicts {2}1 red merge$/m,
    );
  });

  it('the summary shows ten done tasks and adds up the rest', () => {
    const tallies = new Map(Array.from({ length: 14 }, (_, index) => tally(index + 1)));
    const lines = draw(ended({ state: runState({ tallies }) })).split('\n');
    expect(lines.filter((line) => line.startsWith('  ✓ #'))).toHaveLength(10);
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}✓ 4 more +4 +12m48s +\$0\.84 +12\/12$/));
  });

  it('the summary says that the cost is not reported where no session had one', () => {
    const total = { sessions: 2, cost_usd: 0, input_tokens: 5_000, output_tokens: 70 };
    expect(draw(ended({ state: runState({ total }) }))).toContain(
      'Cost    not reported   5.0k tokens in, 70 out\n',
    );
  });

  it('the summary leaves out empty parts', () => {
    const nothing = ended({
      stop: { reason: 'finished', exit_code: 0, sentence: 'Every task is done or skipped.', resume_at: null },
      state: runState({
        total: { sessions: 0, cost_usd: 0, input_tokens: 0, output_tokens: 0 },
        tallies: new Map(),
        started: NOW - 3_200,
      }),
      queue: { counts: counts({ done: 1, skipped: 1 }), ready: 0, questions: [], flags: [], more_flags: 0 },
      needs: { failed: [], blocked: [], drafts: [], on_hold: [] },
      learned: 0,
    });
    expect(draw(nothing)).toBe(
      'Finished after 3.2s: Every task is done or skipped.\n  1 done  1 skipped  of 2  [################] 100%',
    );
  });

  it('the summary counts what it does not name', () => {
    const many = ended({ queue: { ...ended().queue, counts: counts({ failed: 25, draft: 12 }) } });
    expect(draw(many)).toMatch(/^ {2}24 more failed +ralph list --status failed$/m);
    expect(draw(many)).toMatch(/^ {2}11 more drafts +ralph list --status draft$/m);
  });

  it('the summary offers no answer that is unsafe in a shell', () => {
    const options = ['$(rm -rf ~)', '`x`', 'a "b"', '!!', '\x1b[31m'];
    for (const preferred of options) {
      const asked = { ...question(2, 'Which?'), preferred };
      expect(draw(ended({ queue: { ...ended().queue, questions: [asked] } }))).toContain(
        'ralph answer 2 "..."',
      );
    }
  });

  it.each([16, 40, 80, 200])('the summary takes at most %i columns, whatever it contains', (columns) => {
    const hostile = ended({
      state: runState({
        tallies: new Map([tally(1, ESCAPES), tally(2, '日本語のタイトル'.repeat(9))]),
        parallel: { ...runState().parallel, peak: 2, landed: 1 },
        checkout: { branch: ESCAPES, commits: 1, reason: ESCAPES },
      }),
      needs: {
        failed: [{ ...failed, title: ESCAPES, gate: { ...gateResult(false), tail: ESCAPES } }],
        blocked: [{ id: 5, title: ESCAPES, blocked_by: ESCAPES }],
        drafts: [{ id: 8, title: ESCAPES }],
        on_hold: [],
      },
      queue: { ...ended().queue, questions: [question(2, ESCAPES)] },
    });
    for (const line of draw(hostile, columns).split('\n')) {
      expect(width(line)).toBeLessThanOrEqual(columns);
      expect(line).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/);
    }
    expect(stripVTControlCharacters(draw(hostile, columns, true))).toBe(draw(hostile, columns));
  });
});
