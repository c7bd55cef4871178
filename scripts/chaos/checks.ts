// What must hold after every round, however it was disturbed: one named function each, over plain evidence.
import {
  aPersonsChangesAreAsTheyWere,
  everyCommitOfThePersonIsThere,
  noTaskCommitHoldsThePersonsWork,
  theSecondTreeIsUntouched,
} from './checks/person.ts';
import {
  everyAcknowledgedSignalIsThere,
  everyDoneHasOneReceipt,
  everySessionHasOneLineInTheJournal,
  everyTaskIsDone,
  noSessionAndNoRunIsOpen,
  noTaskIsLost,
  noTaskRanAgainAfterItsDone,
  openBlockersEqualARecount,
  theDatabaseIsSound,
} from './checks/queue.ts';
import {
  noGateOutlivesItsSupervisor,
  noLockIsLeft,
  noProcessIsLeft,
  noScratchIsLeft,
  noSessionOutlivesItsSupervisor,
  noSlotIsTaken,
} from './checks/remains.ts';
import {
  aFreshClonePassesTheGate,
  everyCommitHoldsItsOwnWork,
  everyDoneHasAGatePassOnItsTree,
  everyDoneHasOneCommit,
  everyPlantedTreeWasJudged,
  everyReceiptNamesTheTreeOfItsCommit,
  noReferenceOfAFinishedSessionIsLeft,
  noTwoTasksHaveTheSameNumber,
  theBranchHasFollowedTheTrunk,
  theRepositoryIsSound,
} from './checks/repository.ts';
import {
  atMostOneRunWorksAtATime,
  everyRivalIsTurnedAway,
  lastRunFinished,
  noRunBroke,
  rivalsChangeNothing,
} from './checks/runs.ts';
import type { Evidence } from './evidence.ts';

/** What does not hold, a line each. */
type Check = (evidence: Evidence) => string[];

const CHECKS: readonly Check[] = [
  lastRunFinished,
  noRunBroke,
  atMostOneRunWorksAtATime,
  everyRivalIsTurnedAway,
  rivalsChangeNothing,
  everyAcknowledgedSignalIsThere,
  noTaskIsLost,
  everyTaskIsDone,
  noTaskRanAgainAfterItsDone,
  noSessionAndNoRunIsOpen,
  everyDoneHasOneReceipt,
  everyDoneHasOneCommit,
  everyDoneHasAGatePassOnItsTree,
  everyPlantedTreeWasJudged,
  everyReceiptNamesTheTreeOfItsCommit,
  everyCommitHoldsItsOwnWork,
  noTwoTasksHaveTheSameNumber,
  theBranchHasFollowedTheTrunk,
  aFreshClonePassesTheGate,
  openBlockersEqualARecount,
  theDatabaseIsSound,
  theRepositoryIsSound,
  noProcessIsLeft,
  noSessionOutlivesItsSupervisor,
  noGateOutlivesItsSupervisor,
  noLockIsLeft,
  noSlotIsTaken,
  noScratchIsLeft,
  noReferenceOfAFinishedSessionIsLeft,
  everySessionHasOneLineInTheJournal,
  aPersonsChangesAreAsTheyWere,
  everyCommitOfThePersonIsThere,
  noTaskCommitHoldsThePersonsWork,
  theSecondTreeIsUntouched,
];

/** What does not hold, each line with the name of its check. */
export const judge = (evidence: Evidence): string[] =>
  CHECKS.flatMap((check) => check(evidence).map((violation) => `${check.name}: ${violation}`));
