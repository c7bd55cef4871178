// The need of a person that an event shows, in words.
import type { RalphEvent } from '../../domain/event.ts';
import type { Need } from '../../domain/notifications/notification.ts';
import type { PullRequest } from '../../domain/pull-requests/pull-request.ts';
import { findFailure } from '../../domain/sessions/agent-failure.ts';
import { flagText, isOpenBlocker } from '../../domain/tasks/flag.ts';
import { isSatisfied } from '../../domain/tasks/status.ts';
import { isOpenQuestion } from '../../domain/tasks/task.ts';
import { localTime } from '../../domain/text/amounts.ts';
import { plural } from '../../domain/text/text.ts';
import type { Reader } from '../../store/database.ts';
import { hasChangedStatusSince } from '../../store/events.ts';
import { flagsOfTask } from '../../store/tasks/flags.ts';
import { pullOfTask } from '../../store/tasks/pull-requests.ts';
import { questionsOfTask } from '../../store/tasks/questions.ts';
import { findTask, listTasks, type StoredTask } from '../../store/tasks/tasks.ts';

type NeedText = Omit<Need, 'event_id'>;

/** Null for most events. */
export async function needIn(db: Reader, event: RalphEvent): Promise<Need | null> {
  const text = await describeNeed(db, event);
  return text === null ? null : { event_id: event.id, ...text };
}

async function describeNeed(
  db: Reader,
  { id, kind, task_id, session_id, data }: RalphEvent,
): Promise<NeedText | null> {
  const fields = (data ?? {}) as Record<string, unknown>;
  switch (kind) {
    case 'task.status': {
      // A person who changes a status knows it.
      const task = task_id === null || session_id === null ? null : await findTask(db, task_id);
      // A later change of its status has a need of its own.
      return task === null || (await hasChangedStatusSince(db, task.id, id))
        ? null
        : changedTask(db, task, String(fields['to']));
    }
    case 'pull.opened':
    case 'pull.updated': {
      const task = task_id === null ? null : await findTask(db, task_id);
      return task?.status === 'blocked' ? pullNeed(db, task, fields) : null;
    }
    case 'definitions.proposed':
      return {
        kind: 'approval',
        text: proposedText(session_id, task_id, plural(listLength(fields['files']), 'file')),
        command: 'ralph approve --definitions',
      };
    case 'run.waiting':
      return { kind: 'limit', text: waitingText(fields), command: 'ralph status' };
    case 'run.ended':
      return endedRun(String(fields['stop_reason']));
    default:
      return null;
  }
}

async function changedTask(db: Reader, task: StoredTask, status: string): Promise<NeedText | null> {
  const change = await describeChange(db, task, status);
  if (change === null) return null;
  const { kind, verb, words, command } = change;
  const text = `#${task.id} ${task.title} ${verb}${words === null ? '' : `: ${words}`}`;
  return { kind, text, command };
}

/** Once for each push: GitHub has it, and only a person can merge it. That of a feature is told once all its tasks are there. */
async function pullNeed(
  db: Reader,
  { id, title, feature }: StoredTask,
  { number, url }: Record<string, unknown>,
): Promise<NeedText | null> {
  const pull = await pullOfTask(db, id);
  const isFeature = pull !== null && pull.feature !== null;
  if (isFeature && (await hasTasksElsewhere(db, pull))) return null;
  return {
    kind: 'question',
    text: `${isFeature ? `The feature ${feature}` : `#${id} ${title}`} is ready to be merged: ${url === '' ? `pull request #${number}` : url}`,
    command: `ralph why ${id}`,
  };
}

async function hasTasksElsewhere(db: Reader, { feature, parts }: PullRequest): Promise<boolean> {
  if (feature === null) return false;
  const waiting = new Set(parts.filter(({ waits }) => waits).map(({ task_id }) => task_id));
  const tasks = await listTasks(db, { feature });
  return tasks.some(({ id, status }) => status !== 'draft' && !isSatisfied(status) && !waiting.has(id));
}

/** `words`: those of an agent; null for a task that failed. */
export type Change = { kind: 'question' | 'failed'; verb: string; words: string | null; command: string };

/** What a task that came to this status wants of a person; null if nothing. */
export async function describeChange(db: Reader, task: StoredTask, status: string): Promise<Change | null> {
  const { id, blocked_by } = task;
  // It may have moved on since.
  if (task.status !== status) return null;
  if (status === 'failed')
    return { kind: 'failed', verb: 'failed', words: null, command: `ralph show ${id}` };
  // Its pull request is told as soon as GitHub has it.
  if (status === 'blocked' && (await pullOfTask(db, id))?.state === 'open') return null;
  if (status === 'blocked' && blocked_by !== null)
    return { kind: 'question', verb: 'waits for', words: blocked_by, command: `ralph retry ${id}` };
  if (status !== 'needs_input') return null;
  const questions = await questionsOfTask(db, id);
  const open = questions.find((question) => question.blocking && isOpenQuestion(question));
  if (open !== undefined)
    return {
      kind: 'question',
      verb: `asks Q${open.id}`,
      words: open.question,
      command: `ralph answer ${open.id} "..."`,
    };
  const flag = (await flagsOfTask(db, id)).find(isOpenBlocker);
  if (flag === undefined) return null;
  return {
    kind: 'question',
    verb: `flagged F${flag.id}`,
    words: flagText(flag),
    command: `ralph flag close ${flag.id} --note "..."`,
  };
}

const ENDS: Readonly<Record<string, string>> = {
  finished: 'The queue is finished',
  waiting: 'The run stopped: what is left waits for you',
  gave_up: 'The run stopped: what is left has failed',
  red_gates: 'The run stopped: gates were red before any session',
  stagnated: 'The run stopped: sessions changed nothing any more',
  outage: 'The run stopped: the API could not be reached',
  unusable: 'The run stopped: the agent cannot be used',
  enough: 'The run did what it was asked for',
};

/** Null for a run that the person stopped. */
function endedRun(reason: string): NeedText | null {
  if (reason === 'limit')
    return { kind: 'limit', text: 'The run stopped at its limit', command: 'ralph report' };
  const text = ENDS[reason];
  return text === undefined ? null : { kind: 'finished', text, command: 'ralph report' };
}

/** Files of the checkout may have changed while agents were at work, and nobody knows by whom. */
function proposedText(session_id: string | null, task_id: number | null, files: string): string {
  if (session_id === null) return `${files} below .ralph changed while agents were at work`;
  return `${task_id === null ? 'A session' : `#${task_id}`} proposes to change ${files} below .ralph`;
}

const listLength = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

function waitingText({ agent, until, fault }: Record<string, unknown>): string {
  const failure = findFailure(typeof fault === 'string' ? fault : null);
  return failure?.policy === 'stop'
    ? `The agent ${agent} cannot be used (${failure.words}), so its tasks wait for you`
    : `${limitedText(agent)}; the run tries it again at ${localTime(Number(until))}`;
}

const limitedText = (agent: unknown): string =>
  typeof agent === 'string' ? `The agent ${agent} has reached its usage limit` : 'A usage limit is reached';
