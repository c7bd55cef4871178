import { expect, it } from 'vitest';
import { judgeFailure, NOT_RUN, toSessionEnd } from '../../../src/supervisor/agents/session-end.ts';

const failed = { ...NOT_RUN, exit_code: 3, last_words: 'no quota' };
const acted = async () => true;
const didNothing = async () => false;

it('an agent that fails before it did anything is not charged, and one that did something is', async () => {
  expect(await judgeFailure(failed, didNothing)).toMatchObject({ fault: 'agent_failed', detail: 'no quota' });
  expect((await judgeFailure(failed, acted)).fault).toBeNull();
  expect((await judgeFailure({ ...failed, answers: 1 }, didNothing)).fault).toBeNull();
  expect((await judgeFailure({ ...failed, exit_code: 0 }, didNothing)).fault).toBeNull();
});

it('a session whose agent was killed before it did anything is tried again', async () => {
  expect((await judgeFailure({ ...failed, exit_code: null }, didNothing)).fault).toBe('agent_killed');
});

it('a machine that cannot start any agent is not a missing agent', async () => {
  for (const error of ['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM', 'E2BIG'])
    expect(await judgeFailure({ ...NOT_RUN, agent: 'codex', error }, didNothing)).toMatchObject({
      fault: 'machine_failed',
      hindrance: {
        kind: 'machine_failed',
        reason: expect.stringMatching(`^The agent "codex" could not be started: .*; .* \\(${error}\\)\\.$`),
      },
    });
  expect(await judgeFailure({ ...NOT_RUN, error: 'ENOENT' }, didNothing)).toMatchObject({
    fault: 'cannot_start',
    detail: 'ENOENT',
  });
});

it('Ralph does not check the work of an agent that reached a limit or cannot be started', async () => {
  const late = { ...failed, limit: 'time' as const };
  expect(await judgeFailure(late, didNothing)).toBe(late);
  const missing = await judgeFailure({ ...NOT_RUN, error: 'EACCES' }, didNothing);
  expect(missing).toMatchObject({ fault: 'cannot_start', detail: 'EACCES' });
});

it('the last failed request of a client explains its death', async () => {
  const failure = { error: 'server_error', detail: 'ConnectionRefused' };
  expect(await judgeFailure({ ...failed, failure }, didNothing)).toMatchObject({
    fault: 'unreachable',
    detail: 'ConnectionRefused',
  });
});

it('a task waits for the announced end of a limit by itself, and otherwise only with its run', () => {
  const known = { changed_files: false, isStopped: false };
  const limited = { ...NOT_RUN, fault: 'usage_limit' as const };
  expect(toSessionEnd({ ...limited, limited_until: 7 }, known)).toMatchObject({ resume_at: 7 });
  expect(toSessionEnd(limited, known)).toMatchObject({ resume_at: null });
  expect(toSessionEnd({ ...NOT_RUN, fault: 'unreachable', detail: 'DNS' }, known)).toEqual({
    kind: 'infrastructure',
    fault: 'unreachable',
    resume_at: null,
    detail: 'DNS',
  });
});
