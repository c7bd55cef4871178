// Why a run ends, its exit code, and what the person can do next.

import { relative } from 'node:path';
import type { Config } from '../domain/config.ts';
import { findFailure } from '../domain/sessions/agent-failure.ts';
import { unprovenText } from '../domain/sessions/evidence.ts';
import { firstFailure } from '../domain/sessions/gate-output.ts';
import { activateCommand } from '../domain/tasks/feature.ts';
import { isOpenBlocker } from '../domain/tasks/flag.ts';
import { localTime } from '../domain/text/amounts.ts';
import { plural } from '../domain/text/text.ts';
import { isRepositoryGone } from '../host/project.ts';
import { backlogText, type FoundBacklog } from '../project/init/find-backlogs.ts';
import type { FailedTask, Needs } from '../queue/tasks/needs.ts';
import type { QueueStatus } from '../queue/tasks/status.ts';
import type { GroundKind } from './ground/ground.ts';
import type { StopSignals } from './input.ts';
import type { LeaseEnd } from './lease.ts';
import type { Run } from './run.ts';
import type { RunTotals } from './run-totals.ts';
import { stoppedBy } from './stop-parked.ts';

export type Stop = {
  reason:
    | 'finished'
    | 'waiting'
    | 'gave_up'
    | 'red_gates'
    | 'stagnated'
    | 'limit'
    | 'outage'
    | 'unusable'
    | 'stopped'
    | 'lost'
    | 'enough';
  exit_code: 0 | 1 | 10 | 11 | 12 | 13 | 130;
  sentence: string;
  /** When the run can go on by itself; null if a person has to do something first. */
  resume_at: number | null;
};

/** A stop that only a person can resolve. */
const stopped = (stop: Omit<Stop, 'resume_at'>): Stop => ({ ...stop, resume_at: null });

export const STOPPED = stopped({
  reason: 'stopped',
  exit_code: 130,
  sentence: 'You stopped it. Resume it: ralph run.',
});

/** Without the git directory Ralph can commit nothing, and each session would end with a question. */
const REPOSITORY_GONE = stopped({
  reason: 'waiting',
  exit_code: 10,
  sentence:
    'The git directory of this project was removed. Bring it back from a clone or a backup, or begin a new one with git init; then run ralph run again.',
});

/** Its sessions are another run's by now, or will be. */
const LOST: Readonly<Record<LeaseEnd, Stop>> = {
  lost: stopped({
    reason: 'lost',
    exit_code: 13,
    sentence:
      'This run did not answer for too long, and another machine took over its sessions. Start it again: ralph run.',
  }),
  cut_off: stopped({
    reason: 'lost',
    exit_code: 13,
    sentence:
      'The database could not be reached for too long. Look at it with ralph database status, then run ralph run again.',
  }),
};

/** Why the run starts no further session; null to go on. */
export const stopBefore = ({ input, place, lease }: Run, totals: RunTotals): Stop | null => {
  if (lease.over.aborted) return LOST[lease.over.reason as LeaseEnd];
  return isRepositoryGone(place) ? REPOSITORY_GONE : stopAfter(input, totals);
};

export type StopInput = {
  limits: { sessions: number; budget_usd: number };
  stop: StopSignals;
  config: Pick<Config, 'agent'>;
};

export function stopAfter({ limits, stop, config }: StopInput, totals: RunTotals): Stop | null {
  const { stopping, failure, last_pause } = totals;
  if (stop.after.aborted || stop.now.aborted) return STOPPED;
  const unusable = findFailure(stopping?.fault ?? null);
  const isLast = totals.sessions >= limits.sessions;
  if (stopping !== null && unusable !== null) {
    const agent = stopping.agent ?? config.agent;
    const sentence = unusable.sentence({ agent, command: 'ralph run', detail: stopping.detail });
    return stopped({ reason: 'unusable', exit_code: unusable.exit_code, sentence });
  }
  if (stopping?.fault === 'not_trusted')
    return stopped({
      reason: 'waiting',
      exit_code: 10,
      sentence:
        'The commands that this project runs have changed since you allowed them; look at them with ralph trust, then run ralph run again.',
    });
  if (totals.gave_up !== null)
    return stopped({
      reason: 'gave_up',
      exit_code: 10,
      sentence: `The agent of task ${totals.gave_up} says that nothing can go on, whatever is tried. Look at what it said: ralph show ${totals.gave_up}. Then run ralph run again.`,
    });
  if (failure !== null && totals.failures >= MAX_FAILURES)
    return stopped({
      reason: 'unusable',
      exit_code: 1,
      sentence: `Sessions could not be started or checked ${totals.failures} times in a row, and no task was charged: ${failure}`,
    });
  // Before the pause: no session would follow, so there is nothing to wait for.
  if (totals.cost_usd >= limits.budget_usd)
    return stopped({
      reason: 'limit',
      exit_code: 12,
      sentence: `The budget of $${limits.budget_usd.toFixed(2)} is spent. Allow the same amount again: ralph run --budget ${limits.budget_usd}.`,
    });
  // What the last session met tells more than that it was the last.
  if (isLast && last_pause !== null) return stoppedBy(last_pause, last_pause.agent ?? config.agent, isLast);
  if (isLast)
    return stopped({
      reason: 'enough',
      exit_code: 0,
      sentence: `${plural(totals.sessions, 'session')}, as asked for. Go on with the rest: ralph run.`,
    });
  return null;
}

/** Failures in a row: each costs a session, and a machine that is broken stays broken. */
const MAX_FAILURES = 2;

/** What builds on a done that nothing proves would be built on nothing. */
export const unproven = (tasks: readonly number[]): Stop =>
  stopped({
    reason: 'waiting',
    exit_code: 10,
    sentence: `${unprovenText(tasks)} Then run ralph run again.`,
  });
/** The place of the sessions needs something of the person first. */
export const notReady = (sentence: string): Stop => stopped({ reason: 'waiting', exit_code: 10, sentence });

/** A gate that is red before the first session proves nothing about later work. */
export function redBaseline(gates: readonly string[], accepted: readonly string[], kind: GroundKind): Stop {
  const [which, it, pass] =
    gates.length === 1 ? ['The gate', 'it', 'it passes'] : ['The gates', 'them', 'they pass'];
  const lacks =
    kind === 'slots' ? ` If ${pass} in your checkout, see what slots lack: ralph doctor --slots.` : '';
  const accept = [...accepted, ...gates].map((name) => `--accept-red ${name}`).join(' ');
  return stopped({
    reason: 'red_gates',
    exit_code: 10,
    sentence: `${which} ${gates.join(', ')} failed before any session began. Repair ${it} and run ralph run again; let an agent repair ${it} first: ralph run --fix-baseline; or go on and hold no task to ${it} while red: ralph run ${accept}.${lacks}`,
  });
}

export const unrepaired = ({ task_id, gates }: { task_id: number; gates: readonly string[] }): Stop =>
  stopped({
    reason: 'red_gates',
    exit_code: 10,
    sentence: `Task ${task_id} could not make ${gates.join(', ')} pass, and no other task was started. Look at what it said: ralph show ${task_id}.`,
  });

/** Every ready task was tried, and another session would change as little. `repair`: the task that has to come first. */
export function stagnated(tried: readonly number[], repair: number | null): Stop {
  if (repair !== null && tried.includes(repair))
    return stopped({
      reason: 'stagnated',
      exit_code: 11,
      sentence: `Task ${repair} is to repair the gates, but its sessions changed nothing, and no other task was started. Look at what it said: ralph show ${repair}.`,
    });
  const named = tried.slice(0, MAX_NAMED).map((id) => `#${id}`);
  const more = tried.length > named.length ? ` and ${tried.length - named.length} more` : '';
  return stopped({
    reason: 'stagnated',
    exit_code: 11,
    sentence: `Every ready task was tried, and its sessions changed nothing: ${named.join(', ')}${more}. Look at what the last one said: ralph show ${tried.at(-1)}.`,
  });
}

const MAX_NAMED = 10;

/** Everything is done, or only a person can go on. `root`: paths of logs are shown relative to it. `backlogs`: what else there is to do. */
export function nothingReady(
  status: QueueStatus,
  needs: Needs,
  root: string,
  backlogs: readonly FoundBacklog[] = [],
): Stop {
  const { counts, due } = status;
  const open =
    counts.pending + counts.in_progress + counts.needs_input + counts.blocked + counts.failed + counts.draft;
  if (open === 0)
    return stopped({
      reason: 'finished',
      exit_code: 0,
      sentence: counts.done + counts.skipped === 0 ? noTask(backlogs) : 'Every task is done or skipped.',
    });
  if (due !== null)
    return {
      reason: 'limit',
      exit_code: 12,
      sentence: `Nothing may be started before ${localTime(due)}. Run ralph run again then, or let it wait: ralph run --wait.`,
      resume_at: due,
    };
  return stopped({
    reason: 'waiting',
    exit_code: 10,
    sentence: `Nothing is ready: ${whatIsLeft(status)}. ${whatToDo(status, needs, root)}`,
  });
}

/** The first backlog only: one sentence, one thing to type. */
const noTask = ([found]: readonly FoundBacklog[]): string =>
  found === undefined
    ? 'There is no task yet; add one: ralph add TITLE.'
    : `There is no task yet, but ${backlogText(found)}.`;

function whatIsLeft(status: QueueStatus): string {
  const { counts, pull_requests } = status;
  const { questions, flags } = waitedFor(status);
  const parts: [number, string][] = [
    [questions.length, plural(questions.length, 'open question')],
    [flags.length, plural(flags.length, 'blocking flag')],
    [counts.failed, `${counts.failed} failed`],
    [pull_requests.length, `${plural(distinct(pull_requests).length, 'pull request')} to be merged`],
    [counts.blocked - pull_requests.length, `${counts.blocked - pull_requests.length} blocked`],
    [counts.draft, plural(counts.draft, 'draft')],
    [counts.in_progress, `${counts.in_progress} running`],
    [counts.pending, `${counts.pending} waiting`],
  ];
  return parts.flatMap(([count, text]) => (count > 0 ? [text] : [])).join(', ');
}

/** Without what no task waits for: to settle that would not move the queue on. */
const waitedFor = ({ questions, flags }: QueueStatus): Pick<QueueStatus, 'questions' | 'flags'> => ({
  questions: questions.filter(({ blocking }) => blocking),
  flags: flags.filter(isOpenBlocker),
});

/** The first step that would move the queue on: questions and flags, then failed tasks, then blocked ones, then drafts. */
function whatToDo(status: QueueStatus, needs: Needs, root: string): string {
  const { counts, pull_requests } = status;
  const { questions, flags } = waitedFor(status);
  const ids = (tasks: readonly { id: number }[]): string => tasks.map(({ id }) => id).join(' ');
  if (questions.length > 0)
    return `Answer ${questions.map(({ id }) => `Q${id}`).join(', ')}: ralph answer ${questions[0]?.id} "...".`;
  if (flags.length > 0 && counts.needs_input > 0)
    return `Look at ${flags.map(({ id }) => `F${id}`).join(', ')}: ralph flag list. Then close it: ralph flag close ${flags[0]?.id} --note "...".`;
  const [failed] = needs.failed;
  if (failed !== undefined)
    return `${describeFailure(failed, root)} Then queue it again: ralph retry ${failed.id}.`;
  const merging = new Set(pull_requests.map(({ task_id }) => task_id));
  const blocked = needs.blocked.find(({ id }) => !merging.has(id));
  if (blocked !== undefined) return `See what holds it back: ralph why ${blocked.id}.`;
  if (pull_requests.length > 0)
    return `${mergeText(pull_requests)} Then run ralph run again, or let it wait for that: ralph run --wait.`;
  if (counts.draft > 0) return `Approve the drafts that you want: ralph approve ${ids(needs.drafts)}.`;
  const [hold] = needs.on_hold;
  if (hold !== undefined && counts.in_progress === 0)
    return `The feature ${hold.feature} is ${hold.status}, so its tasks wait; to start them: ${activateCommand(hold.feature)}`;
  return 'See who works on the rest: ralph status.';
}

/** Several tasks of a feature may wait for the same one. */
const distinct = (pulls: QueueStatus['pull_requests']): QueueStatus['pull_requests'] =>
  pulls.filter(({ branch }, index) => pulls.findIndex((pull) => pull.branch === branch) === index);

function mergeText(pulls: QueueStatus['pull_requests']): string {
  const opened = distinct(pulls).filter(({ number }) => number !== null);
  if (opened.length === 0) return 'GitHub has not taken the pull requests yet.';
  const named = opened.slice(0, MAX_NAMED).map(({ number, url }) => (url ? url : `#${number}`));
  return `Review and merge ${named.join(', ')}${opened.length > named.length ? ` and ${opened.length - named.length} more` : ''}.`;
}

function describeFailure({ id, gate }: FailedTask, root: string): string {
  if (gate === null) return `Look at #${id}: ralph show ${id}.`;
  const log = gate.log === null ? `ralph show ${id}` : relative(root, gate.log);
  return `Look at #${id}, which failed at gate ${gate.name} (${firstFailure(gate)}; full output: ${log}).`;
}
