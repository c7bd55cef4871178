import { describe, expect, it } from 'vitest';
import { type SettleInput, settle } from '../../../src/domain/sessions/settle.ts';
import type { Signal } from '../../../src/domain/sessions/signal.ts';
import { gateResult } from '../../support/queue.ts';

const done: Signal = { verb: 'done', summary: 'built it' };
const partial: Signal = { verb: 'partial', summary: 'half', remaining: 'the other half' };
const stuck: Signal = { verb: 'stuck', reason: 'no access' };
const external: Signal = { verb: 'blocked', on: 'the vendor', kind: 'external', detail: 'key is missing' };

const input = (change: Partial<SettleInput>): SettleInput => ({
  task: { attempts: 0, stuck_count: 0, blocked_by: null },
  signals: [],
  open_questions: 0,
  open_flags: 0,
  upstream: [],
  end: { kind: 'exited', exit_code: 0 },
  gates: [],
  tampering: null,
  review: null,
  hindrance: null,
  no_change: null,
  landing: null,
  proposal: null,
  conflicts: 0,
  limits: { max_attempts: 3, stuck: 3 },
  ...change,
});

describe('done', () => {
  it('a done task is done if every required gate passes', () => {
    expect(settle(input({ signals: [done], gates: [gateResult(true)] }))).toMatchObject({
      status: 'done',
      outcome: 'done',
    });
  });

  it('a done task is done if only an optional gate fails', () => {
    expect(settle(input({ signals: [done], gates: [gateResult(false, false)] })).status).toBe('done');
  });

  it('a done without a change and without a reason goes back, and is charged', () => {
    const decision = settle(input({ signals: [done], no_change: { kind: 'unexplained' } }));
    expect(decision).toMatchObject({
      status: 'pending',
      outcome: 'no_change',
      attempts: 1,
      comment: { author: 'system', body: expect.stringContaining('no_change_reason') },
    });
  });

  it('a done without a change but with a reason waits for a person, uncharged, once the gates have passed', () => {
    const no_change = { kind: 'explained', reason: 'It was there already.' } as const;
    expect(settle(input({ signals: [done], no_change, gates: [gateResult(true)] }))).toMatchObject({
      status: 'needs_input',
      outcome: 'needs_approval',
      attempts: 0,
      hindrance: { question: expect.stringContaining('It was there already.'), approves: true },
    });
    expect(settle(input({ signals: [done], no_change, gates: [gateResult(false)] }))).toMatchObject({
      status: 'pending',
      outcome: 'gate_failed',
    });
  });

  it('a done without a change is accepted if none was expected', () => {
    const no_change = { kind: 'expected', reason: 'The task is to investigate.' } as const;
    expect(settle(input({ signals: [done], no_change }))).toMatchObject({ status: 'done', outcome: 'done' });
  });

  it('a done goes back with the failure if a required gate fails', () => {
    const decision = settle(input({ signals: [done], gates: [gateResult(true), gateResult(false)] }));
    expect(decision).toMatchObject({
      status: 'pending',
      outcome: 'gate_failed',
      attempts: 1,
      stuck_count: 0,
    });
    expect(decision.comment?.body).toContain('retry.spec.ts:41');
  });

  it('a task fails if a refuted done uses up its attempts', () => {
    const task = { attempts: 2, stuck_count: 0, blocked_by: null };
    expect(settle(input({ task, signals: [done], gates: [gateResult(false)] }))).toMatchObject({
      status: 'failed',
      attempts: 3,
    });
  });

  it('a done goes back with the text of a review that requests changes', () => {
    const decision = settle(input({ signals: [done], review: { approved: false, text: 'no tests' } }));
    expect(decision).toMatchObject({
      status: 'pending',
      outcome: 'changes_requested',
      attempts: 1,
      comment: { body: 'no tests' },
    });
  });

  it('a done of a session that changed its own rules waits for a person, whatever the gates say', () => {
    const decision = settle(input({ signals: [done], gates: [gateResult(true)], tampering: 'script test' }));
    expect(decision).toMatchObject({
      status: 'blocked',
      outcome: 'rules_bent',
      attempts: 1,
      blocked_by: 'script test',
    });
  });

  it('a done stands without a verdict, with a comment that it was not reviewed', () => {
    const review = { approved: null, reason: 'usage limit', isRequired: false } as const;
    const decision = settle(input({ signals: [done], gates: [gateResult(true)], review }));
    expect(decision).toMatchObject({
      status: 'done',
      attempts: 0,
      comment: { body: 'Not reviewed: usage limit.' },
    });
  });

  it('a done without a required verdict waits for a person, uncharged', () => {
    const review = { approved: null, reason: 'usage limit', isRequired: true } as const;
    const decision = settle(input({ signals: [done], gates: [gateResult(true)], review }));
    expect(decision).toMatchObject({ status: 'needs_input', outcome: 'interrupted', attempts: 0 });
    expect(decision.hindrance).toMatchObject({
      question: expect.stringContaining('was not reviewed: usage limit. Answer "accept"'),
    });
  });

  it('the comment on a failed gate tells that the gate had failed before', () => {
    const red = { ...gateResult(false), was_red: true };
    expect(settle(input({ signals: [done], gates: [red] })).comment?.body).toContain(
      'It had failed before this task began, too.',
    );
  });

  it('a done makes an earlier blocked and a blocking ask informational', () => {
    expect(settle(input({ signals: [external, done], open_questions: 1 }))).toMatchObject({
      status: 'done',
      blocked_by: null,
    });
  });
});

describe('the last closing verb wins', () => {
  it.each([
    [[partial, done], 'done'],
    [[done, partial], 'pending'],
    [[done, stuck], 'pending'],
    [[stuck, partial, done], 'done'],
  ] as const)('the signals %j end in the status %s', (signals, status) => {
    expect(settle(input({ signals })).status).toBe(status);
  });
});

describe('partial', () => {
  it('a partial task goes back with what remains', () => {
    const decision = settle(input({ signals: [partial] }));
    expect(decision).toMatchObject({
      status: 'pending',
      outcome: 'partial',
      attempts: 0,
      stuck_count: 0,
      inferred: false,
    });
    expect(decision.comment?.body).toContain('the other half');
  });

  it('a partial task waits for the answer to a blocking question', () => {
    expect(settle(input({ signals: [partial], open_questions: 1 })).status).toBe('needs_input');
  });

  it('a partial task is blocked by something external, named with its detail', () => {
    expect(settle(input({ signals: [external, partial] }))).toMatchObject({
      status: 'blocked',
      blocked_by: 'the vendor: key is missing',
    });
  });

  it('a partial task waits for an open upstream task', () => {
    const decision = settle(
      input({ signals: [partial], upstream: [{ on: '#7', found: 'open', task_id: 7 }] }),
    );
    expect(decision).toMatchObject({ status: 'blocked', add_dependencies: [7], blocked_by: null });
  });

  it('a partial task does not wait for an upstream task that is done already', () => {
    const decision = settle(
      input({ signals: [partial], upstream: [{ on: '#7', found: 'satisfied', task_id: 7 }] }),
    );
    expect(decision).toMatchObject({ status: 'pending', add_dependencies: [] });
  });

  it('a partial task waits for a person if its upstream task does not exist or waits for it', () => {
    const nothing = settle(input({ signals: [partial], upstream: [{ on: 'the moon', found: 'nothing' }] }));
    expect(nothing).toMatchObject({
      status: 'blocked',
      add_dependencies: [],
      blocked_by: 'the moon (no such task)',
    });
    const cycle = settle(
      input({ signals: [partial], upstream: [{ on: '#7', found: 'cycle', path: [1, 7, 1] }] }),
    );
    expect(cycle.blocked_by).toContain('1 → 7 → 1');
  });
});

describe('stuck', () => {
  it('a stuck task goes back twice and fails the third time', () => {
    const stuckAgain = (stuck_count: number) =>
      settle(input({ task: { attempts: 0, stuck_count, blocked_by: null }, signals: [stuck] }));
    expect(stuckAgain(0)).toMatchObject({ status: 'pending', stuck_count: 1, attempts: 0 });
    expect(stuckAgain(1)).toMatchObject({ status: 'pending', stuck_count: 2 });
    expect(stuckAgain(2)).toMatchObject({ status: 'failed', stuck_count: 3 });
  });

  it('a stuck task waits for the answer to a blocking question', () => {
    expect(settle(input({ signals: [stuck], open_questions: 1 }))).toMatchObject({
      status: 'needs_input',
      stuck_count: 1,
    });
  });
});

describe('no closing verb', () => {
  it.each(['usage_limit', 'overloaded', 'mcp_lost', 'not_logged_in', 'supervisor_killed'] as const)(
    'an end by the fault %s costs the task nothing',
    (fault) => {
      const decision = settle(input({ end: { kind: 'infrastructure', fault, resume_at: 99 } }));
      expect(decision).toMatchObject({
        status: 'pending',
        outcome: 'interrupted',
        attempts: 0,
        stuck_count: 0,
        not_before: 99,
        comment: null,
      });
    },
  );

  it.each(['turns', 'time', 'budget'] as const)(
    'an end at the %s limit with changed files is an inferred partial',
    (limit) => {
      const decision = settle(input({ end: { kind: 'limit', limit, changed_files: true } }));
      expect(decision).toMatchObject({
        status: 'pending',
        outcome: 'partial',
        inferred: true,
        stuck_count: 0,
      });
    },
  );

  it('an end at a limit without changed files, or a plain exit, is an inferred stuck', () => {
    const ends = [
      { kind: 'limit', limit: 'turns', changed_files: false },
      { kind: 'limit', limit: 'idle', changed_files: true },
      { kind: 'limit', limit: 'repeats', changed_files: true, detail: 'Bash npm test' },
      { kind: 'exited', exit_code: 0 },
    ] as const;
    const comments = ends.map((end) => {
      const decision = settle(input({ end, last_words: 'I give up.' }));
      expect(decision).toMatchObject({ status: 'pending', outcome: 'stuck', inferred: true, stuck_count: 1 });
      return decision.comment?.body;
    });
    expect(comments).toEqual([
      'Stuck: It reached its turns limit and had changed no file. Last words: I give up.',
      'Stuck: It was silent for too long, and was ended. Last words: I give up.',
      'Stuck: It repeated a failing step until it was ended: Bash npm test. Last words: I give up.',
      'Stuck: It ended without a closing verb (exit code 0). Last words: I give up.',
    ]);
  });

  it('a closing verb that was recorded before the fault counts', () => {
    const end = { kind: 'infrastructure', fault: 'usage_limit', resume_at: null } as const;
    expect(settle(input({ signals: [done], end })).status).toBe('done');
  });
});

describe('work that could not land', () => {
  const landing = {
    kind: 'conflict',
    paths: ['src/login.ts'],
    onto: 'a'.repeat(40),
    others: [{ commit: 'b1b2b3b4b5', subject: 'Add a logout', paths: ['src/login.ts', 'src/menu.ts'] }],
  } as const;

  it('a conflict sends the task back at no cost, and tells the next session what to resolve', () => {
    const task = { attempts: 2, stuck_count: 0, blocked_by: null };
    const decision = settle(
      input({ task, signals: [done], gates: [gateResult(true)], landing, conflicts: 1 }),
    );
    expect(decision).toMatchObject({ status: 'pending', outcome: 'conflict', attempts: 2, stuck_count: 0 });
    expect(decision.comment).toEqual({
      author: 'system',
      body: `The work could not land on aaaaaaa: others changed the same lines.

Conflicts in:
- src/login.ts

Landed meanwhile:
- b1b2b3b Add a logout (src/login.ts, src/menu.ts)

The next session starts with both versions and conflict markers in these files. Keep what both changes are for, and leave no marker: src/login.ts.`,
    });
  });

  it('from the third conflict in a row on each costs an attempt, until the task has failed', () => {
    const settled = (attempts: number) =>
      settle(
        input({
          task: { attempts, stuck_count: 0, blocked_by: null },
          signals: [done],
          landing,
          conflicts: 2,
        }),
      );
    expect(settled(0)).toMatchObject({ status: 'pending', outcome: 'conflict', attempts: 1 });
    expect(settled(2)).toMatchObject({ status: 'failed', outcome: 'conflict', attempts: 3 });
  });

  it('gates that fail only on the merge cost no attempt either, and their output reaches the next session', () => {
    const red = {
      kind: 'red',
      onto: 'a'.repeat(40),
      others: [{ commit: 'b1b2b3b4b5', subject: 'Add a\nlogout' }],
    } as const;
    const decision = settle(input({ signals: [done], gates: [gateResult(false)], landing: red }));
    expect(decision).toMatchObject({ status: 'pending', outcome: 'conflict', attempts: 0 });
    expect(
      decision.comment?.body,
    ).toBe(`The work could not land on aaaaaaa: gates failed on the merge with what others landed.

Landed meanwhile:
- b1b2b3b Add a logout

Gate test failed (npm test, exit code 1).
2 failed, first retry.spec.ts:41

The next session starts with the merge of both. Make the gates pass on it.`);
  });

  it('a comment about many conflicts names the first files only', () => {
    const paths = Array.from({ length: 30 }, (_, index) => `src/${index}.ts`);
    const body = settle(input({ signals: [done], landing: { ...landing, paths, others: [] } })).comment?.body;
    expect(body).toContain('- src/19.ts\n- 10 others\n\nThe next session');
    expect(body).toMatch(/src\/4.ts, 25 others\.$/);
  });
});
