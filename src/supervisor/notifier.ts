// Tells people what needs them while a run is at work. What is to be told is in the database first, so that neither a crash nor a
// service that is down loses it. A service that took a message just before a crash may get it again, with the same key.
import { createHash } from 'node:crypto';
import type { Config, NotifyTarget } from '../domain/config.ts';
import { isQuiet, parseQuietHours, toNotification } from '../domain/notifications/notification.ts';
import { environmentFor } from '../domain/secrets/environment.ts';
import { type DeliverInput, deliver, targetName } from '../host/notifications/deliver.ts';
import type { Environment } from '../host/processes/spawn.ts';
import {
  beginOutbox,
  collectNeeds,
  markTold,
  noteProblem,
  type OutboxTarget,
  takeNeeds,
} from '../queue/notifications/outbox.ts';
import type { Queue } from '../queue/queue.ts';
import { status } from '../queue/tasks/status.ts';
import { type IssueSyncInput, readIssueRules, syncIssues } from './issue-sync.ts';

type NotifierInput = {
  queue: Queue;
  root: string;
  slotsFolder: string;
  env: Environment;
  config: Pick<Config, 'notify' | 'env' | 'github' | 'commit'>;
  /** A target did not take a notification. Called once for each reason. */
  onProblem(text: string): void;
  /** Where the clock on the wall stands, in minutes after midnight. */
  timeOfDay?: () => number;
  send?: typeof fetch;
  github?: IssueSyncInput['outside'];
};

type Notifier = {
  /** Tells what is still open, and then nothing more. */
  end(): Promise<void>;
};

const LOOK_EVERY_MS = 5_000;

export async function openNotifier(input: NotifierInput): Promise<Notifier> {
  if (!tellsAnybody(input.config)) return { end: async () => {} };
  await beginOutbox(input.queue);
  const seen = new Set<string>();
  const tellOnce = (text: string): void => {
    if (!seen.has(text)) input.onProblem(text);
    seen.add(text);
  };
  let last: Promise<void> = Promise.resolve();
  const look = (isLast: boolean): Promise<void> => {
    // One look at a time. A database that is busy or gone is told by the run itself.
    last = last.then(() => tellNeeds({ ...input, onProblem: tellOnce }, { isLast })).catch(() => {});
    return last;
  };
  const timer = setInterval(() => void look(false), LOOK_EVERY_MS).unref();
  return {
    end: async () => {
      clearInterval(timer);
      await look(true);
    },
  };
}

/** Whether there is a target: people, or issues. */
export const tellsAnybody = ({ notify, github }: Pick<Config, 'notify' | 'github'>): boolean =>
  notify.length > 0 || github.sync;

type Target = OutboxTarget & { target: NotifyTarget };

/** Tells what is due. `isLast`: also what would wait for others to be told with it. `isAsked`: a person wants it now. */
export async function tellNeeds(
  input: NotifierInput,
  { isLast = false, isAsked = false } = {},
): Promise<void> {
  await collectNeeds(input.queue, keyedTargets(input.config.notify), await readIssueRules(input));
  await tellPeople(input, isLast);
  const { github: outside, ...rest } = input;
  await syncIssues({ ...rest, ...(outside && { outside }) }, { isAsked });
}

async function tellPeople(
  { queue, root, env, config, onProblem, timeOfDay = localMinutes, send }: NotifierInput,
  isLast: boolean,
): Promise<void> {
  const targets = keyedTargets(config.notify);
  const awake = targets.filter(({ target: { quiet } }) => !isAsleep(quiet, timeOfDay()));
  const messages = await takeNeeds(
    queue,
    awake.map(({ key }) => key),
    { isLast },
  );
  if (messages.length === 0) return;
  const project = await projectName(queue, root);
  const commandEnv = environmentFor('gate', env, config.env);
  const how: DeliverInput = { root, env, commandEnv, ...(send && { send }) };
  for (const { identity, target: name, needs } of messages) {
    const target = awake.find((one) => one.key === name)?.target;
    if (target === undefined) continue;
    const problem = await deliver(target, toNotification(messageKey(identity), project, needs), how);
    const ids = needs.map(({ id }) => id);
    if (problem === null) await markTold(queue, ids);
    else {
      await noteProblem(queue, ids, problem);
      onProblem(`the notification to ${name} failed: ${problem}; Ralph tries again`);
    }
  }
}

/** Short, and of characters that every service takes. */
const messageKey = (identity: string): string =>
  createHash('sha256').update(identity).digest('hex').slice(0, 32);

/** Two targets may have the same name. */
export function keyedTargets(targets: readonly NotifyTarget[]): Target[] {
  const counts = new Map<string, number>();
  return targets.map((target) => {
    const name = targetName(target);
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return { key: count === 1 ? name : `${name} ${count}`, on: target.on, target };
  });
}

export async function projectName(queue: Queue, root: string): Promise<string> {
  const { title } = await status(queue);
  return title ?? root.split(/[\\/]/).at(-1) ?? 'ralph';
}

function isAsleep(quiet: string | null, minutes: number): boolean {
  const hours = quiet === null ? null : parseQuietHours(quiet);
  return hours !== null && isQuiet(minutes, hours);
}

function localMinutes(): number {
  const now = new Date();
  return now.getHours() * 60 + now.getMinutes();
}
