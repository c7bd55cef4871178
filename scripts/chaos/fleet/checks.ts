// What must hold after every round of a fleet.
import {
  everyAcknowledgedSignalIsThere,
  everyDoneHasOneReceipt,
  everyTaskIsDone,
  noSessionAndNoRunIsOpen,
  noTaskIsLost,
  openBlockersEqualARecount,
} from '../checks/queue.ts';
import { noLockIsLeft, noProcessIsLeft, noScratchIsLeft, noSlotIsTaken } from '../checks/remains.ts';
import {
  aFreshClonePassesTheGate,
  everyCommitHoldsItsOwnWork,
  everyDoneHasAGatePassOnItsTree,
  everyDoneHasOneCommit,
  everyReceiptNamesTheTreeOfItsCommit,
  noReferenceOfAFinishedSessionIsLeft,
  noTwoTasksHaveTheSameNumber,
  theRepositoryIsSound,
} from '../checks/repository.ts';
import type { FleetEvidence } from './evidence.ts';

type FleetCheck = (evidence: FleetEvidence) => string[];

const FLEET_CHECKS: readonly FleetCheck[] = [
  theLastRunsFinished,
  noWorkerHung,
  noWorkerBroke,
  everyAcknowledgedSignalIsThere,
  noTaskIsLost,
  everyTaskIsDone,
  noSessionAndNoRunIsOpen,
  everyDoneHasOneReceipt,
  everyDoneHasOneCommit,
  everyDoneHasAGatePassOnItsTree,
  everyReceiptNamesTheTreeOfItsCommit,
  everyCommitHoldsItsOwnWork,
  noTwoTasksHaveTheSameNumber,
  aFreshClonePassesTheGate,
  theChainOfEvidenceHolds,
  onlyLiesAreCharged,
  noTaskHasTwoSessionsAtOnce,
  noRunIsLostThatHeldItsLease,
  noJudgedWorkIsLostWithItsMachine,
  openBlockersEqualARecount,
  theRepositoryIsSound,
  noReferenceOfAFinishedSessionIsLeft,
  noProcessIsLeft,
  noLockIsLeft,
  noSlotIsTaken,
  noScratchIsLeft,
  noTemporaryFileIsLeft,
];

/** What does not hold, each line with the name of its check. */
export const judgeFleet = (evidence: FleetEvidence): string[] =>
  FLEET_CHECKS.flatMap((check) => check(evidence).map((violation) => `${check.name}: ${violation}`));

export function theLastRunsFinished({ lastCodes }: FleetEvidence): string[] {
  return lastCodes.every((code) => code === 0) ? [] : [`the last runs ended with ${lastCodes.join(', ')}`];
}

/** All work is done, so a worker that is told to end has nothing to wait for. */
export function noWorkerHung({ hung }: FleetEvidence): string[] {
  return hung.map((host) => `the worker of ${host} did not end`);
}

/** A worker may end with a sentence; the system starts it again. */
export function noWorkerBroke({ outputs }: FleetEvidence): string[] {
  return outputs
    .filter(({ text }) => /Unexpected error|^ {4}at /m.test(text))
    .map(({ host, text }) => {
      const from = Math.max(0, text.search(/Unexpected error|^ {4}at /m) - 300);
      return `${host} broke: ${text.slice(from, from + 900)}`;
    });
}

export function theChainOfEvidenceHolds({ unproven }: FleetEvidence): string[] {
  return unproven;
}

/** So many conflicts in a row cost nothing. */
const FREE_CONFLICTS = 2;

/** A gate refutes only lies, and a session is stuck only if its agent was killed. Nothing else costs a task anything. */
export function onlyLiesAreCharged({ tasks, sessions, plan, signals, disturbed }: FleetEvidence): string[] {
  const kills = disturbed.filter(({ victim }) => victim === 'agent').length;
  // An agent that is killed while it lies has not written it down.
  const lies = plan.tasks.flatMap(({ attempts }) =>
    attempts.flat().flatMap((step) => ('say' in step && !step.honest ? [step.nonce] : [])),
  );
  const isLie = (id: string): boolean =>
    signals.some(
      ({ session_id, payload }) => session_id === id && lies.some((nonce) => payload.includes(nonce)),
    );
  const stuck = sessions.filter(({ outcome }) => outcome === 'stuck');
  return [
    ...sessions
      .filter(({ id, outcome }) => outcome === 'gate_failed' && !isLie(id))
      .map(({ id, task_id }) => `session ${id} of task ${task_id} told the truth and was refuted`),
    ...(stuck.length <= kills ? [] : [`${stuck.length} sessions are stuck, and ${kills} agents were killed`]),
    ...tasks.flatMap(({ id, attempts, stuck_count }) => {
      const own = sessions.filter(({ task_id }) => task_id === id);
      const count = (name: string): number => own.filter(({ outcome }) => outcome === name).length;
      const most = count('gate_failed') + Math.max(0, count('conflict') - FREE_CONFLICTS);
      return [
        ...(attempts <= most
          ? []
          : [`task ${id} was charged ${attempts} tries, and ${most} at most are its own`]),
        ...(stuck_count <= count('stuck')
          ? []
          : [`task ${id} was charged ${stuck_count} times for being stuck`]),
      ];
    }),
  ];
}

/** A task is claimed again only when its last session has ended. */
export function noTaskHasTwoSessionsAtOnce({ overlaps }: FleetEvidence): string[] {
  return overlaps.map(
    ({ task_id, first, second }) =>
      `session ${second} of task ${task_id} began before session ${first} ended`,
  );
}

/** An outage of the database costs every machine its lease, and none its work. */
export function noRunIsLostThatHeldItsLease({ lost, takenOver, absent }: FleetEvidence): string[] {
  return [
    ...lost
      .filter(({ host }) => !absent.has(host))
      .map(({ run_id, host, by }) => `run ${by} took over run ${run_id} of ${host}, which was at work`),
    ...takenOver
      .filter(({ from, had_ended }) => !had_ended && !absent.has(from))
      .map(({ session_id, from, to }) => `${to} took ${session_id} over from ${from}, which was at work`),
  ];
}

/** The remote has the work of a session before its gates run, so that another machine can land it. */
export function noJudgedWorkIsLostWithItsMachine({
  takenOver,
  sessions,
  disturbed,
}: FleetEvidence): string[] {
  const isHindered = disturbed.some(({ victim }) =>
    ['refusal', 'cut', 'push', 'git', 'gate'].includes(victim),
  );
  return takenOver
    .filter(({ phase }) => phase === 'landing' && !isHindered)
    .filter(({ session_id }) => sessions.find(({ id }) => id === session_id)?.outcome === 'interrupted')
    .map(
      ({ session_id, from, to }) => `${to} took ${session_id} over from ${from} and did not find its work`,
    );
}

export function noTemporaryFileIsLeft({ tempFiles }: FleetEvidence): string[] {
  return tempFiles;
}
