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
import { LEASE_MS } from './disturbance.ts';
import type { FleetEvidence, LostRun, TakenOver } from './evidence.ts';
import type { Absence } from './scene.ts';

type FleetCheck = (evidence: FleetEvidence) => string[];

export const FLEET_CHECKS: readonly FleetCheck[] = [
  theLastRunsFinished,
  noWorkerHung,
  noWorkerBroke,
  everyAcknowledgedSignalIsThere,
  noTaskIsLost,
  everyTaskIsDone,
  nobodyIsAsked,
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

/** Whatever happens to machines and servers, no person is there to answer. */
export function nobodyIsAsked({ questions }: FleetEvidence): string[] {
  return questions.map(({ task_id, question }) => `task ${task_id} waits for an answer: ${question}`);
}

export function theChainOfEvidenceHolds({ unproven }: FleetEvidence): string[] {
  return unproven;
}

/** So many conflicts in a row cost nothing. */
const FREE_CONFLICTS = 2;

type Outcome = Pick<FleetEvidence['sessions'][number], 'outcome'>;

/** How many conflicts of a task's sessions, in their order, may have cost a try. An interrupted session between them counts for nothing. */
function chargedConflicts(sessions: readonly Outcome[]): number {
  let [row, charged] = [0, 0];
  for (const { outcome } of sessions) {
    if (outcome === 'interrupted') continue;
    row = outcome === 'conflict' ? row + 1 : 0;
    if (row > FREE_CONFLICTS) charged += 1;
  }
  return charged;
}

/** A gate refutes only lies, and a session is stuck only if its agent was killed. Nothing else costs a task anything. */
export function onlyLiesAreCharged({ tasks, sessions, plan, signals, disturbed }: FleetEvidence): string[] {
  const killed = disturbed.flatMap(({ victim, session }) => (victim === 'agent' ? [session] : []));
  // An agent that is killed while it lies has not written it down.
  const lies = plan.tasks.flatMap(({ attempts }) =>
    attempts.flat().flatMap((step) => ('say' in step && !step.honest ? [step.nonce] : [])),
  );
  const isLie = (id: string): boolean =>
    signals.some(
      ({ session_id, payload }) => session_id === id && lies.some((nonce) => payload.includes(nonce)),
    );
  return [
    ...sessions
      .filter(({ id, outcome }) => outcome === 'gate_failed' && !isLie(id))
      .map(({ id, task_id }) => `session ${id} of task ${task_id} told the truth and was refuted`),
    ...sessions
      .filter(({ id, outcome }) => outcome === 'stuck' && !killed.includes(id))
      .map(({ id, task_id }) => `session ${id} of task ${task_id} is stuck, and nobody killed its agent`),
    ...tasks.flatMap(({ id, attempts, stuck_count }) => {
      const own = sessions.filter(({ task_id }) => task_id === id);
      const count = (name: string): number => own.filter(({ outcome }) => outcome === name).length;
      const most = count('gate_failed') + chargedConflicts(own);
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

/** How far the harness and the events may differ in what they say about one moment. */
const TOLERANCE_MS = 1_000;

/** Its machine was away while the run was at work, and had no time to renew its lease since. */
function couldNotRenew(
  host: string,
  { started, at }: Pick<LostRun | TakenOver, 'started' | 'at'>,
  absences: readonly Absence[],
): boolean {
  return absences.some(
    ({ host: absent, from, to }) =>
      absent === host &&
      started <= from + TOLERANCE_MS &&
      from <= at + TOLERANCE_MS &&
      (to === null || at <= to + LEASE_MS + TOLERANCE_MS),
  );
}

/** An outage of the database costs every machine its lease, and none its work. */
export function noRunIsLostThatHeldItsLease({ lost, takenOver, absences }: FleetEvidence): string[] {
  return [
    ...lost
      .filter((loss) => !couldNotRenew(loss.host, loss, absences))
      .map(({ run_id, host, by }) => `run ${by} took over run ${run_id} of ${host}, which was at work`),
    ...takenOver
      .filter((taken) => !taken.had_ended && !couldNotRenew(taken.from, taken, absences))
      .map(({ session_id, from, to }) => `${to} took ${session_id} over from ${from}, which was at work`),
  ];
}

/** The remote has the work of a session before its gates run, so that another machine can land it. */
export function noJudgedWorkIsLostWithItsMachine({
  takenOver,
  sessions,
  disturbed,
}: FleetEvidence): string[] {
  const isHindered = ({ from, to }: TakenOver): boolean =>
    disturbed.some(({ victim, machine, detail }) => {
      if (victim === 'refusal') return true;
      const isOther = machine !== from && machine !== to;
      if (isOther || !['cut', 'push', 'git', 'gate'].includes(victim)) return false;
      return victim !== 'cut' || detail.includes('remote');
    });
  return takenOver
    .filter((taken) => taken.phase === 'landing' && !isHindered(taken))
    .filter(({ session_id }) => sessions.find(({ id }) => id === session_id)?.outcome === 'interrupted')
    .map(
      ({ session_id, from, to }) => `${to} took ${session_id} over from ${from} and did not find its work`,
    );
}

export function noTemporaryFileIsLeft({ tempFiles }: FleetEvidence): string[] {
  return tempFiles;
}
