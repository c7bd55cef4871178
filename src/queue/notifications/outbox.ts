// What needs a person is stored before it is sent, so that a crash loses none of it. For each target a need has one row,
// no matter which process sees its event.
import { ISSUE_TARGET, parseIssueTarget } from '../../domain/notifications/issue-comment.ts';
import {
  GROUP_MS,
  MAX_ATTEMPTS,
  type Need,
  type NeedKind,
  pauseAfter,
} from '../../domain/notifications/notification.ts';
import type { Reader } from '../../store/database.ts';
import { eventsAfter, lastEventId } from '../../store/events.ts';
import {
  type DueNotification,
  dueNotifications,
  insertNotifications,
  notifiedUntil,
  removeNotificationsBefore,
  setNotifiedUntil,
  updateNotification,
  type WaitingNotification,
  waitingNotifications,
} from '../../store/notifications.ts';
import type { Queue } from '../queue.ts';
import { type IssueRules, isStillTrue, issueUpdatesIn } from './issue-updates.ts';
import { needIn } from './need-in.ts';

export type { DueNotification };

/** A target of the configuration, by a name that holds no secret. */
export type OutboxTarget = { key: string; on: readonly NeedKind[] };

const EVENTS_AT_ONCE = 500;
const NEEDS_AT_ONCE = 50;
const KEPT_MS = 30 * 24 * 3_600_000;

/** What happened before the first call is no news. */
export const beginOutbox = (queue: Queue): Promise<void> =>
  queue.store.write(async (db) => {
    if ((await notifiedUntil(db)) === null) await setNotifiedUntil(db, await lastEventId(db));
    await removeNotificationsBefore(db, queue.now() - KEPT_MS);
  });

/** Takes new needs into the outbox. `issues`: if the issues that tasks came from are told as well. */
export async function collectNeeds(
  queue: Queue,
  targets: readonly OutboxTarget[],
  issues: IssueRules | null = null,
): Promise<void> {
  while (await collectSome(queue, targets, issues));
}

/** True if there may be more. */
function collectSome(
  queue: Queue,
  targets: readonly OutboxTarget[],
  issues: IssueRules | null,
): Promise<boolean> {
  const created = queue.now();
  return queue.store.write(async (db) => {
    const events = await eventsAfter(db, (await notifiedUntil(db)) ?? 0, EVENTS_AT_ONCE);
    const last = events.at(-1);
    if (last === undefined) return false;
    const needs: Need[] = [];
    const updates: (Need & { target: string })[] = [];
    for (const event of events) {
      const need = await needIn(db, event);
      if (need !== null) needs.push(need);
      if (issues !== null) updates.push(...(await issueUpdatesIn(db, event, issues)));
    }
    // Nothing is grouped below an issue.
    await insertNotifications(
      db,
      updates.map((update) => ({ ...update, created, next_try: created })),
    );
    await insertNotifications(
      db,
      needs.flatMap((need) =>
        targets
          .filter(({ on }) => on.includes(need.kind))
          .map(({ key: target }) => ({ ...need, target, created, next_try: created + GROUP_MS })),
      ),
    );
    await setNotifiedUntil(db, last.id);
    return events.length === EVENTS_AT_ONCE;
  });
}

/** Needs that one target is told together. `identity`: the same each time that it is sent, and of no other message. */
export type Message = { identity: string; target: string; needs: readonly DueNotification[] };

/**
 * Hands out what is due for these targets and still needed, to one process for as long as a try takes. `isLast`: also what would wait for others
 * to be told with it, because the run ends.
 */
export function takeNeeds(
  queue: Queue,
  targets: readonly string[],
  { isLast = false }: { isLast?: boolean } = {},
): Promise<Message[]> {
  const now = queue.now();
  return queue.store.write(async (db) => {
    const until = isLast ? now + GROUP_MS : now;
    const due = await dueNotifications(db, { targets, until, attempts: MAX_ATTEMPTS, limit: NEEDS_AT_ONCE });
    const taken: Message[] = [];
    for (const needs of groupMessages(due)) {
      const tries = Math.max(...needs.map(({ attempts }) => attempts)) + 1;
      // One time for all: if nobody hears what becomes of this try, they are sent together again.
      const next_try = now + pauseAfter(tries);
      const current: DueNotification[] = [];
      for (const need of needs) {
        const found = await currentNeed(db, need);
        const change = { attempts: need.attempts + 1, next_try, problem: null };
        await updateNotification(db, need.id, found === null ? { told: now } : change);
        if (found !== null) current.push({ ...need, ...found });
      }
      const [first] = current;
      if (first !== undefined)
        taken.push({ identity: identify(needs), target: first.target, needs: current });
    }
    return taken;
  });
}

/**
 * A service may have taken a message whose sender was killed. That one is sent again as it was, and under its key. All else of a
 * target goes into one message.
 */
function groupMessages(due: readonly DueNotification[]): DueNotification[][] {
  const groups = new Map<string, DueNotification[]>();
  for (const need of due) {
    const { target, attempts, next_try, problem } = need;
    const isUnclear = attempts > 0 && problem === null;
    const name = `${isUnclear ? next_try : ''} ${target}`;
    groups.set(name, [...(groups.get(name) ?? []), need]);
  }
  return [...groups.values()];
}

/** With the times: another queue has the same ids. */
const identify = (needs: readonly DueNotification[]): string =>
  JSON.stringify(needs.map(({ id, target, created }) => [id, target, created]));

/** Null if nobody needs to hear of it any more: quiet hours or a service that is down may have passed since. */
async function currentNeed(db: Reader, need: DueNotification): Promise<Need | null> {
  const [event] = await eventsAfter(db, need.event_id - 1, 1);
  return event?.id === need.event_id ? needIn(db, event) : need;
}

export const markTold = (queue: Queue, ids: readonly number[]): Promise<void> => {
  const told = queue.now();
  return queue.store.write(async (db) => {
    for (const id of ids) await updateNotification(db, id, { told });
  });
};

/** A comment and what it needs take a few requests. A process that is dead after this time was killed. */
const LEASE_MS = 5 * 60_000;

/**
 * Hands out the updates of issues that are due and still true, to one process for as long as a try takes. `isAsked`: a person
 * wants another try of what failed now.
 */
export function takeIssueUpdates(queue: Queue, { isAsked = false } = {}): Promise<DueNotification[]> {
  const now = queue.now();
  return queue.store.write(async (db) => {
    const targets = { begin: ISSUE_TARGET };
    const due = await dueNotifications(db, {
      targets,
      until: now,
      attempts: MAX_ATTEMPTS,
      limit: NEEDS_AT_ONCE,
      isAsked,
    });
    const taken: DueNotification[] = [];
    for (const update of due) {
      const issue = parseIssueTarget(update.target);
      // It may have been posted before a crash, but then there is nothing left to do either.
      const isTrue = issue !== null && (await isStillTrue(db, issue, update.kind));
      // Without a problem while it is tried: otherwise a person who asks would have it tried twice at a time.
      const change = { attempts: update.attempts + 1, next_try: now + LEASE_MS, problem: null };
      await updateNotification(db, update.id, isTrue ? change : { told: now });
      if (isTrue) taken.push(update);
    }
    return taken;
  });
}

/** `retryAt`: when the other side says that a try makes sense again. */
export function putOff(
  queue: Queue,
  { id, attempts }: DueNotification,
  { problem, retryAt }: { problem: string; retryAt: number | null },
): Promise<void> {
  const next_try = Math.max(queue.now() + pauseAfter(attempts + 1), retryAt ?? 0);
  return queue.store.write((db) => updateNotification(db, id, { next_try, problem }));
}

/** They are tried again after the pause that `takeNeeds` set. */
export const noteProblem = (queue: Queue, ids: readonly number[], problem: string): Promise<void> =>
  queue.store.write(async (db) => {
    for (const id of ids) await updateNotification(db, id, { problem });
  });

/** `isGivenUp`: nothing tries again. */
export type OpenNotification = WaitingNotification & { isGivenUp: boolean };

/** What waits to be told, for people who ask. */
export const openNotifications = (queue: Queue): Promise<OpenNotification[]> =>
  queue.store.read(async (db) =>
    (await waitingNotifications(db)).map((one) => ({ ...one, isGivenUp: one.attempts >= MAX_ATTEMPTS })),
  );
