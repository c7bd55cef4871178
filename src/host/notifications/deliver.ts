// Hands a notification to one target. Never throws: a notification that fails must not fail a run.
import type { NotifyTarget } from '../../domain/config.ts';
import { type Notification, notificationText, webhookBody } from '../../domain/notifications/notification.ts';
import { findExecutable } from '../processes/find-executable.ts';
import { type Environment, runToEnd } from '../processes/spawn.ts';

export type DeliverInput = {
  root: string;
  env: Environment;
  /** What a notification's command gets of the environment. */
  commandEnv: Environment;
  send?: typeof fetch;
};

const TIMEOUT_MS = 10_000;

/** Null if the target has taken it; otherwise why not, without anything secret. */
export async function deliver(
  target: NotifyTarget,
  notification: Notification,
  input: DeliverInput,
): Promise<string | null> {
  if (target.webhook !== null) return post(target, target.webhook, notification, input);
  if (target.command !== null) return runCommand(target.command, notification, input);
  return showOnDesktop(notification, input);
}

/** For messages and for the outbox: an address may be secret, so a variable goes by its name and another by its host. */
export function targetName({ webhook, command }: NotifyTarget): string {
  if (command !== null) return `command ${command[0]}`;
  if (webhook === null) return 'desktop';
  const variable = /^\$\{(\w+)\}/.exec(webhook)?.[1];
  if (variable !== undefined) return `webhook ${variable}`;
  return `webhook ${URL.canParse(webhook) ? new URL(webhook).host : ''}`;
}

async function post(
  { shape, chat }: NotifyTarget,
  webhook: string,
  notification: Notification,
  { env, send = fetch }: DeliverInput,
): Promise<string | null> {
  const missing = [...webhook.matchAll(VARIABLE)].find(([, name = '']) => !env[name]);
  if (missing !== undefined) return `the variable ${missing[1]} is not set`;
  const url = webhook.replace(VARIABLE, (_, name: string) => env[name] ?? '');
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    return 'its address is not an http address';
  const { type, body, headers } = webhookBody(shape, notification, chat);
  try {
    const answer = await send(url, {
      method: 'POST',
      headers: {
        'content-type': `${type}; charset=utf-8`,
        'idempotency-key': notification.key,
        ...headers,
      },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await answer.body?.cancel();
    return answer.ok ? null : `it answered ${answer.status}`;
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError')
      return `it gave no answer within ${TIMEOUT_MS / 1_000} s`;
    const cause = error instanceof Error ? error.cause : null;
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    return `it cannot be reached${code}`;
  }
}

const VARIABLE = /\$\{(\w+)\}/g;

async function runCommand(
  [command = '', ...args]: readonly string[],
  notification: Notification,
  { root, commandEnv }: DeliverInput,
): Promise<string | null> {
  const env = { ...commandEnv, RALPH_NOTIFICATION: JSON.stringify(notification) };
  const input = Buffer.from(`${notification.title}\n${notificationText(notification)}\n`);
  const { code, signal } = await runToEnd(command, args, { cwd: root, env, timeoutMs: TIMEOUT_MS, input });
  if (code === 0) return null;
  if (signal !== null) return `it was ended by ${signal}, or took longer than ${TIMEOUT_MS / 1_000} s`;
  return code === null ? 'it could not be started' : `it ended with ${code}`;
}

async function showOnDesktop(
  notification: Notification,
  { root, env }: DeliverInput,
): Promise<string | null> {
  const text = notificationText(notification);
  const [name, args] =
    process.platform === 'darwin'
      ? ['osascript', ['-e', `display notification ${quoted(text)} with title ${quoted(notification.title)}`]]
      : ['notify-send', ['--app-name=Ralph', '--', notification.title, text]];
  const program = findExecutable(name, env['PATH']);
  if (program === null) return `there is no ${name}; install it, or tell by a webhook or a command`;
  const { code } = await runToEnd(program, args, { cwd: root, env, timeoutMs: TIMEOUT_MS });
  return code === 0 ? null : `${name} failed; is there a desktop?`;
}

/** As AppleScript reads a text. */
const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
