// What must hold after every round, however it was disturbed: one named function each, over plain evidence.
import type { Evidence } from './evidence.ts';
import { PERSONAL } from './project.ts';

/** What does not hold, a line each. */
type Check = (evidence: Evidence) => string[];

function lastRunFinished({ runEnds }: Evidence): string[] {
  const last = runEnds.at(-1);
  return last?.code === 0 ? [] : [`the last run ended with ${last?.code}: ${last?.output.slice(-400)}`];
}

/** A run that was not killed must end in its own words. */
function noRunBroke({ runEnds }: Evidence): string[] {
  return runEnds
    .filter(({ code, killed }) => !killed && code !== 0 && code !== 10)
    .map(({ code, output }) => `a run ended with ${code}: ${output.slice(-400)}`);
}

/** At least once, and once only where the agent sends a repeated call under the same id. */
function everyAcknowledgedSignalIsThere({ plan, acknowledged, signals }: Evidence): string[] {
  return acknowledged.flatMap(({ session, verb, nonce }) => {
    const found = signals.filter((signal) => signal.session_id === session && signal.payload.includes(nonce));
    if (found.length === 0) return [`${verb} "${nonce}" of ${session} was acknowledged and is not there`];
    return plan.claude || found.length === 1
      ? []
      : [`${verb} "${nonce}" of ${session} is there ${found.length} times`];
  });
}

function noTaskIsLost({ plan, tasks }: Evidence): string[] {
  const ids = new Set(tasks.map(({ id }) => id));
  return plan.tasks.filter(({ id }) => !ids.has(id)).map(({ id }) => `task ${id} is gone`);
}

function everyTaskIsDone({ tasks }: Evidence): string[] {
  return tasks.filter(({ status }) => status !== 'done').map(({ id, status }) => `task ${id} is ${status}`);
}

/** A true `done` that an agent was told is recorded ends its task, unless the same session took it back. */
function noTaskRanAgainAfterItsDone({ acknowledged, sessions }: Evidence): string[] {
  const closing = acknowledged.filter(({ verb }) => verb === 'done' || verb === 'partial');
  const ended = closing.filter(
    ({ verb, honest, session, nonce }) =>
      verb === 'done' && honest && closing.findLast((other) => other.session === session)?.nonce === nonce,
  );
  return ended.flatMap(({ task, session }) => {
    const own = sessions.find(({ id }) => id === session);
    const later = sessions.filter((other) => other.task_id === task && other.token > (own?.token ?? 0));
    return [
      ...(own?.outcome === 'done' ? [] : [`the done of ${session} (task ${task}) became ${own?.outcome}`]),
      ...later.map(({ id }) => `task ${task} ran again as ${id} after the done of ${session}`),
    ];
  });
}

function noSessionAndNoRunIsOpen({ sessions, runs }: Evidence): string[] {
  return [
    ...sessions.filter(({ ended }) => ended === null).map(({ id }) => `session ${id} is open`),
    ...runs.filter(({ ended }) => ended === null).map(({ id }) => `run ${id} is open`),
  ];
}

function everyDoneHasOneReceipt({ tasks, receipts }: Evidence): string[] {
  return tasks.flatMap(({ id, status }) => {
    const count = receipts.filter(({ task_id }) => task_id === id).length;
    return count === (status === 'done' ? 1 : 0) ? [] : [`task ${id} is ${status} with ${count} receipts`];
  });
}

function everyDoneHasOneCommit({ receipts, commits }: Evidence): string[] {
  return [
    ...receipts.flatMap(({ task_id, session_id, commit_id }) => {
      const own = commits.filter(({ task }) => task === task_id);
      if (own.length !== 1) return [`task ${task_id} has ${own.length} commits`];
      const [commit] = own;
      return commit?.hash === commit_id && commit?.session === session_id
        ? []
        : [`the commit of task ${task_id} is not that of its receipt`];
    }),
    ...commits
      .filter(({ task }) => !receipts.some(({ task_id }) => task_id === task))
      .map(({ hash, task }) => `commit ${hash} is of task ${task}, which has no receipt`),
  ];
}

/** Ralph's own record, and the gate's. */
function everyDoneHasAGatePassOnItsTree({ receipts, gateRuns, gatesSeen }: Evidence): string[] {
  return receipts.flatMap(({ task_id, session_id, tree_hash }) => {
    const recorded = gateRuns.some(
      (run) => run.session_id === session_id && run.passed === 1 && run.tree_hash === tree_hash,
    );
    const seen = gatesSeen.some((gate) => gate.event === 'pass' && gate.tree === tree_hash);
    return [
      ...(recorded ? [] : [`task ${task_id} has no recorded gate pass on ${tree_hash}`]),
      ...(seen ? [] : [`no gate has seen ${tree_hash}, the tree of task ${task_id}`]),
    ];
  });
}

/** Each commit has its own task's files and no other's, and all of the work arrived. */
function everyCommitHoldsItsOwnWork({ plan, commits, committed }: Evidence): string[] {
  const shared = (committed['shared.txt'] ?? '').split('\n');
  return [
    ...commits.flatMap(({ task, files }) => {
      const others = files.filter((file) => file !== `work/${task}.txt` && file !== 'shared.txt');
      return others.length === 0 ? [] : [`the commit of task ${task} holds ${others.join(', ')}`];
    }),
    ...plan.tasks.flatMap(({ id, shares }) => [
      ...(committed[`work/${id}.txt`] === `task ${id}\nok\n`
        ? []
        : [`the work of task ${id} is not committed`]),
      ...(!shares || shared.filter((line) => line === `by ${id}`).length === 1
        ? []
        : [`shared.txt does not hold the line of task ${id} once`]),
    ]),
  ];
}

function openBlockersEqualARecount({ tasks }: Evidence): string[] {
  return tasks
    .filter(({ open_blockers, counted }) => open_blockers !== counted)
    .map(
      ({ id, open_blockers, counted }) => `task ${id} counts ${open_blockers} blockers and has ${counted}`,
    );
}

function theDatabaseIsSound({ integrity }: Evidence): string[] {
  return integrity.filter((line) => line !== 'ok');
}

function theRepositoryIsSound({ fsck }: Evidence): string[] {
  return fsck.code === 0 ? [] : [`git fsck ended with ${fsck.code}: ${fsck.output.slice(0, 400)}`];
}

function noProcessIsLeft({ processes }: Evidence): string[] {
  return processes.map(({ pid, command }) => `process ${pid} is alive: ${command.slice(0, 200)}`);
}

function noLockIsLeft({ gitFiles }: Evidence): string[] {
  return gitFiles.filter((file) => file.endsWith('.lock'));
}

/** Copies of the index, halves of files, and what a session was given that may hold secrets. */
function noScratchIsLeft({ gitFiles }: Evidence): string[] {
  return gitFiles.filter((file) =>
    /^ralph\/(scratch\/|.*\.part$|sessions\/[^/]+\/(mcp|settings)\.json$)/.test(file),
  );
}

function onlyUnfinishedTasksHaveWorkAside({ refs, tasks }: Evidence): string[] {
  return refs.filter((ref) => {
    const id = Number(/^refs\/ralph\/task-(\d+)$/.exec(ref)?.[1]);
    return tasks.find((task) => task.id === id)?.status !== 'pending';
  });
}

function everySessionHasOneLineInTheJournal({ sessions, journal }: Evidence): string[] {
  return sessions.flatMap(({ id, ended }) => {
    const count = journal.filter((session) => session === id).length;
    return ended === null || count === 1 ? [] : [`session ${id} has ${count} lines in the journal`];
  });
}

/** Nothing looks changed but what a person had changed, and that is as they left it. The journal is for a person to commit. */
function aPersonsChangesAreAsTheyWere({ status, personal }: Evidence): string[] {
  const expected = Object.entries(PERSONAL).map(([name, { status: code }]) => `${code} ${name}`);
  return [
    ...status
      .filter((line) => !expected.includes(line) && !/ \.ralph\/memory\//.test(line))
      .map((line) => `git status says: ${line}`),
    ...expected.filter((line) => !status.includes(line)).map((line) => `git status does not say: ${line}`),
    ...Object.entries(PERSONAL)
      .filter(([name, { text }]) => personal[name] !== text)
      .map(([name]) => `${name} is not what a person wrote`),
  ];
}

const CHECKS: readonly Check[] = [
  lastRunFinished,
  noRunBroke,
  everyAcknowledgedSignalIsThere,
  noTaskIsLost,
  everyTaskIsDone,
  noTaskRanAgainAfterItsDone,
  noSessionAndNoRunIsOpen,
  everyDoneHasOneReceipt,
  everyDoneHasOneCommit,
  everyDoneHasAGatePassOnItsTree,
  everyCommitHoldsItsOwnWork,
  openBlockersEqualARecount,
  theDatabaseIsSound,
  theRepositoryIsSound,
  noProcessIsLeft,
  noLockIsLeft,
  noScratchIsLeft,
  onlyUnfinishedTasksHaveWorkAside,
  everySessionHasOneLineInTheJournal,
  aPersonsChangesAreAsTheyWere,
];

/** What does not hold, each line with the name of its check. */
export const judge = (evidence: Evidence): string[] =>
  CHECKS.flatMap((check) => check(evidence).map((violation) => `${check.name}: ${violation}`));
