import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { NoChange } from '../../../src/domain/sessions/approval-questions.ts';
import { failedRequired } from '../../../src/domain/sessions/gate.ts';
import type { LandingProblem } from '../../../src/domain/sessions/landing.ts';
import {
  INFRASTRUCTURE_FAULTS,
  SESSION_LIMITS,
  type SessionEnd,
} from '../../../src/domain/sessions/session.ts';
import {
  type Decision,
  type Hindrance,
  isAcceptable,
  type ReviewResult,
  type SettleInput,
  settle,
  type Upstream,
} from '../../../src/domain/sessions/settle.ts';
import { lastClosing, type Signal } from '../../../src/domain/sessions/signal.ts';
import { isLegal } from '../../../src/domain/tasks/status.ts';
import { isReady } from '../../support/is-ready.ts';
import { gateResult } from '../../support/queue.ts';
import { tries } from '../../support/tries.ts';

const text = fc.string({ minLength: 1, maxLength: 8 });
const signal: fc.Arbitrary<Signal> = fc.oneof(
  fc.record({ verb: fc.constant('done' as const), summary: text }),
  fc.record({ verb: fc.constant('partial' as const), summary: text, remaining: text }),
  fc.record({ verb: fc.constant('stuck' as const), reason: text }),
  fc.record({ verb: fc.constant('ask' as const), question: text, blocking: fc.boolean() }),
  fc.record({
    verb: fc.constant('blocked' as const),
    on: text,
    kind: fc.constantFrom('upstream_task' as const, 'external' as const),
  }),
  fc.constant({ verb: 'flag', what: 'x', severity: 'blocking', category: 'bug' } as const),
);
const end: fc.Arbitrary<SessionEnd> = fc.oneof(
  fc.record({ kind: fc.constant('exited' as const), exit_code: fc.option(fc.nat(255)) }),
  fc.record({
    kind: fc.constant('limit' as const),
    limit: fc.constantFrom(...SESSION_LIMITS),
    changed_files: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('infrastructure' as const),
    fault: fc.constantFrom(...INFRASTRUCTURE_FAULTS),
    resume_at: fc.option(fc.nat()),
  }),
);
const upstream: fc.Arbitrary<Upstream> = fc.oneof(
  fc.record({ on: text, found: fc.constant('open' as const), task_id: fc.nat() }),
  fc.record({ on: text, found: fc.constant('satisfied' as const), task_id: fc.nat() }),
  fc.record({ on: text, found: fc.constant('nothing' as const) }),
);
const review: fc.Arbitrary<ReviewResult | null> = fc.oneof(
  fc.constant(null),
  fc.constant({ approved: true } as const),
  fc.record({ approved: fc.constant(false as const), text }),
  fc.record({
    approved: fc.constant(null),
    reason: text,
    isRequired: fc.boolean(),
  }),
);
const hindrance: fc.Arbitrary<Hindrance | null> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  fc.record({ kind: fc.constant('needs_person' as const), question: text }),
  fc.record({ kind: fc.constant('machine_failed' as const), reason: text }),
);
const no_change: fc.Arbitrary<NoChange | null> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  fc.constant({ kind: 'unexplained' as const }),
  fc.record({ kind: fc.constantFrom('explained' as const, 'expected' as const), reason: text }),
);
const landing: fc.Arbitrary<LandingProblem | null> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  fc.record({
    kind: fc.constant('conflict' as const),
    paths: fc.array(text),
    onto: text,
    others: fc.constant([]),
  }),
  fc.record({ kind: fc.constant('red' as const), onto: text, others: fc.constant([]) }),
);
const gate = fc.tuple(fc.boolean(), fc.boolean()).map(([passed, required]) => gateResult(passed, required));

/** One session, as far as the domain sees it. */
type Session = Omit<SettleInput, 'task' | 'limits'>;
const session: fc.Arbitrary<Session> = fc.record({
  signals: fc.array(signal, { maxLength: 6 }),
  open_questions: fc.nat(2),
  open_flags: fc.nat(1),
  upstream: fc.array(upstream, { maxLength: 2 }),
  end,
  gates: fc.array(gate, { maxLength: 3 }),
  tampering: fc.option(text),
  review,
  hindrance,
  no_change,
  landing,
  proposal: fc.option(fc.record({ number: fc.option(fc.nat()), url: fc.option(text), branch: text })),
  conflicts: fc.nat(4),
});

const limits = { max_attempts: 3, stuck: 3 };
type Standing = SettleInput['task'];
const fresh: Standing = { attempts: 0, stuck_count: 0, blocked_by: null };

/** Sessions one after another, as long as the task comes back; a person clears what is parked. */
function play(sessions: readonly Session[]): { before: Standing; session: Session; decision: Decision }[] {
  const steps = [];
  let standing = fresh;
  for (const one of sessions) {
    const decision = settle({ ...one, task: standing, limits });
    steps.push({ before: standing, session: one, decision });
    if (decision.status === 'done' || decision.status === 'failed') break;
    standing = { attempts: decision.attempts, stuck_count: decision.stuck_count, blocked_by: null };
  }
  return steps;
}

const history = fc.array(session, { minLength: 1, maxLength: 12 });
const always = (check: (step: ReturnType<typeof play>[number]) => void) =>
  fc.assert(
    fc.property(history, (sessions) => play(sessions).forEach(check)),
    { numRuns: tries(1000) },
  );

it('every sequence of sessions ends in a legal state', () => {
  always(({ decision }) => expect(isLegal('settle', 'in_progress', decision.status)).toBe(true));
});

it('a task is done only after a done verb, with passing required gates, untouched rules, an acceptable review, no hindrance, nothing in the way of landing, and a change or none expected', () => {
  always(
    ({
      session: {
        signals,
        gates,
        tampering,
        review: reviewed,
        hindrance: hindered,
        no_change: none,
        landing: unlanded,
        proposal,
      },
      decision,
    }) => {
      const proven =
        lastClosing(signals)?.verb === 'done' &&
        failedRequired(gates).length === 0 &&
        tampering === null &&
        hindered === null &&
        unlanded === null &&
        (none === null || none.kind === 'expected') &&
        isAcceptable(reviewed);
      expect(decision.status === 'done' || decision.outcome === 'proposed').toBe(proven);
      // What only waits in a pull request is not done.
      if (proposal !== null) expect(decision.status).not.toBe('done');
    },
  );
});

it('faults of the infrastructure never change attempts or stuck_count', () => {
  always(({ before, session: { end: ended, signals, tampering, hindrance: hindered }, decision }) => {
    if (ended.kind !== 'infrastructure' || lastClosing(signals) !== null) return;
    const isParked = hindered?.kind === 'needs_person' && tampering === null;
    expect(decision.status).toBe(isParked ? 'needs_input' : 'pending');
    expect(decision).toMatchObject({
      attempts: before.attempts,
      stuck_count: before.stuck_count,
    });
  });
});

it('a hindrance is never charged, and one that needs a person parks the task', () => {
  always(({ before, session: { tampering, hindrance: hindered, signals }, decision }) => {
    if (hindered === null || tampering !== null) return;
    if (hindered.kind === 'needs_person') expect(decision.status).toBe('needs_input');
    if (hindered.kind === 'needs_person' || lastClosing(signals)?.verb === 'done')
      expect(decision).toMatchObject({ attempts: before.attempts, stuck_count: before.stuck_count });
  });
});

it('a conflict is charged only after two others in a row, and never as stuck', () => {
  always(({ before, session: { conflicts }, decision }) => {
    if (decision.outcome !== 'conflict' || decision.status === 'needs_input') return;
    expect(decision.attempts - before.attempts).toBe(conflicts < 2 ? 0 : 1);
    expect(decision.stuck_count).toBe(before.stuck_count);
  });
});

it('the third stuck fails, and no session costs more than one attempt or one stuck', () => {
  always(({ before, decision }) => {
    expect(decision.stuck_count >= limits.stuck).toBe(
      decision.outcome === 'stuck' && decision.status === 'failed',
    );
    const spent = decision.attempts - before.attempts + (decision.stuck_count - before.stuck_count);
    expect(spent === 0 || spent === 1).toBe(true);
  });
});

it('a failed task has used up its attempts or its stuck sessions', () => {
  always(({ decision }) => {
    if (decision.status !== 'failed') return;
    expect(decision.attempts >= limits.max_attempts || decision.stuck_count >= limits.stuck).toBe(true);
  });
});

it('a pending task is ready exactly when its time has come and everything before it is done or skipped', () => {
  const status = fc.constantFrom(
    'pending',
    'in_progress',
    'blocked',
    'failed',
    'done',
    'skipped',
    'draft',
    'needs_input' as const,
  );
  fc.assert(
    fc.property(
      fc.array(status, { maxLength: 5 }),
      fc.option(fc.nat(20)),
      fc.nat(20),
      (before, not_before, now) => {
        const task = { status: 'pending' as const, not_before, depends_on: before.map((_, index) => index) };
        const expected =
          before.every((one) => one === 'done' || one === 'skipped') && (not_before ?? 0) <= now;
        expect(isReady(task, (id) => before[id], now)).toBe(expected);
      },
    ),
  );
});
