// A run that left something of every kind, for those who report it.
import { NO_USAGE } from '../../src/domain/sessions/session.ts';
import type { Signal } from '../../src/domain/sessions/signal.ts';
import { finish } from '../../src/queue/sessions/finish.ts';
import { record } from '../../src/queue/sessions/record.ts';
import { type Worked, workedProject } from './project-with-sessions.ts';
import { EXITED, effectsWith, gateResult, LIMITS } from './queue.ts';

/** One session on the next task, from its claim to its end. */
export async function work(
  project: Worked,
  session_id: string,
  signals: readonly Signal[],
  effects = effectsWith(gateResult(true)),
): Promise<void> {
  const { queue, run_id } = project;
  await project.begin(session_id);
  for (const signal of signals) await record(queue, { session_id, call_id: null, signal });
  const usage = {
    ...NO_USAGE,
    model: 'haiku',
    turns: 2,
    input_tokens: 12_000,
    output_tokens: 345,
    cost_usd: 0.2,
  };
  await finish(queue, { session_id, run_id, end: EXITED, usage, effects, limits: LIMITS });
}

export const done: Signal = { verb: 'done', summary: 'Built.' };
const failing = {
  ...gateResult(false),
  tail: 'PASS a.spec.ts\n0 failed so far\nretry.spec.ts:41 expected 2, got 3\nFAILED\n# fail 1',
};

/** Three tasks: one proven at the second try, one that asks, one that goes on. */
export async function everything(): Promise<Worked> {
  const project = await workedProject('Build it', 'Ask about it', 'Go on');
  const blocking: Signal = { verb: 'ask', question: 'REST or gRPC?', blocking: true };
  await work(project, 'aaaaaaaa-1', [done], effectsWith(failing));
  await work(project, 'bbbbbbbb-1', [
    { verb: 'flag', what: 'Names differ', severity: 'info', category: 'incomplete_prior' },
    { verb: 'flag', what: 'A key in the log', severity: 'blocking', category: 'security' },
    {
      verb: 'learned',
      text: 'Filter before counting.',
      kind: 'gotcha',
      rationale: 'It failed',
      scope: 'project',
    },
    { verb: 'suggest', what: 'Share escape()', kind: 'new_task', why: 'Two pages need it.' },
    done,
  ]);
  await work(project, 'cccccccc-1', [
    { verb: 'ask', question: 'Which zone?', blocking: false },
    blocking,
    { verb: 'partial', summary: 'Half', remaining: 'Half' },
  ]);
  await project.json('answer', '1', 'UTC');
  await project.begin('dddddddd-1');
  return project;
}
