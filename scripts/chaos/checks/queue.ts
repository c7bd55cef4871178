// The queue after a round: signals, tasks, sessions, receipts.
import type { CommonEvidence, Evidence } from '../evidence.ts';

/** At least once, and once only where the agent sends a repeated call under the same id. */
export function everyAcknowledgedSignalIsThere({ plan, acknowledged, signals }: CommonEvidence): string[] {
  return acknowledged.flatMap(({ session, verb, nonce }) => {
    const found = signals.filter((signal) => signal.session_id === session && signal.payload.includes(nonce));
    if (found.length === 0) return [`${verb} "${nonce}" of ${session} was acknowledged and is not there`];
    return plan.claude || found.length === 1
      ? []
      : [`${verb} "${nonce}" of ${session} is there ${found.length} times`];
  });
}

export function noTaskIsLost({ plan, tasks }: CommonEvidence): string[] {
  const ids = new Set(tasks.map(({ id }) => id));
  return plan.tasks.filter(({ id }) => !ids.has(id)).map(({ id }) => `task ${id} is gone`);
}

export function everyTaskIsDone({ tasks }: CommonEvidence): string[] {
  return tasks.filter(({ status }) => status !== 'done').map(({ id, status }) => `task ${id} is ${status}`);
}

export function noSessionAndNoRunIsOpen({ sessions, runs }: CommonEvidence): string[] {
  return [
    ...sessions.filter(({ ended }) => ended === null).map(({ id }) => `session ${id} is open`),
    ...runs.filter(({ ended }) => ended === null).map(({ id }) => `run ${id} is open`),
  ];
}

export function everyDoneHasOneReceipt({ tasks, receipts }: CommonEvidence): string[] {
  return tasks.flatMap(({ id, status }) => {
    const count = receipts.filter(({ task_id }) => task_id === id).length;
    return count === (status === 'done' ? 1 : 0) ? [] : [`task ${id} is ${status} with ${count} receipts`];
  });
}

export function openBlockersEqualARecount({ tasks }: CommonEvidence): string[] {
  return tasks
    .filter(({ open_blockers, counted }) => open_blockers !== counted)
    .map(
      ({ id, open_blockers, counted }) => `task ${id} counts ${open_blockers} blockers and has ${counted}`,
    );
}

export function theDatabaseIsSound({ integrity }: Evidence): string[] {
  return integrity.filter((line) => line !== 'ok');
}

export function everySessionHasOneLineInTheJournal({ sessions, journal }: Evidence): string[] {
  return sessions.flatMap(({ id, ended }) => {
    const count = journal.filter((session) => session === id).length;
    return ended === null || count === 1 ? [] : [`session ${id} has ${count} lines in the journal`];
  });
}

/**
 * A true `done` that an agent was told is recorded ends its task, unless the same session took it back. Where git failed,
 * a person rewrote the branch, the gate was ended twice, or the done came after a hang-up that Ralph had not yet written
 * down, the task may be put back; a gate never refutes such a done. Another session or a person may have changed the same lines.
 */
export function noTaskRanAgainAfterItsDone({ plan, acknowledged, sessions, disturbed }: Evidence): string[] {
  const closing = acknowledged.filter(({ verb }) => verb === 'done' || verb === 'partial');
  const ended = closing.filter(
    ({ verb, honest, session, nonce }) =>
      verb === 'done' && honest && closing.findLast((other) => other.session === session)?.nonce === nonce,
  );
  const counted = (name: string): number => disturbed.filter(({ victim }) => victim === name).length;
  // A person stays on another branch for longer than one session.
  const switches = disturbed.filter(
    ({ victim, detail }) => victim === 'person' && detail === 'switch',
  ).length;
  const excuses =
    counted('git') +
    counted('person') +
    2 * switches +
    counted('gc') +
    counted('hangup') +
    Math.floor(counted('gate') / 2);
  const findOutcome = (id: string): string | null =>
    sessions.find((session) => session.id === id)?.outcome ?? null;
  const putBack = ended.filter(({ session }) => findOutcome(session) === 'interrupted').slice(0, excuses);
  const mayConflict = plan.jobs > 1 || counted('person') > 0;
  const conflicting = ended.filter(({ session }) => mayConflict && findOutcome(session) === 'conflict');
  return ended
    .filter((done) => !putBack.includes(done) && !conflicting.includes(done))
    .flatMap(({ task, session }) => {
      const own = sessions.find(({ id }) => id === session);
      const later = sessions.filter((other) => other.task_id === task && other.token > (own?.token ?? 0));
      return [
        ...(own?.outcome === 'done'
          ? []
          : [
              `the done of ${session} (task ${task}) became ${own?.outcome}: ${own?.told ?? 'without a word'}`,
            ]),
        ...later.map(({ id }) => `task ${task} ran again as ${id} after the done of ${session}`),
      ];
    });
}
