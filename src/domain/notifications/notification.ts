// What needs a person while a run is at work, and when they are told.
import { plural, singleLine, truncate } from '../text/text.ts';

export const NEED_KINDS = ['question', 'failed', 'approval', 'limit', 'finished'] as const;
export type NeedKind = (typeof NEED_KINDS)[number];

export type Need = {
  /** The event that shows the need; there is one need for it at most. */
  event_id: number;
  kind: NeedKind;
  /** One line. */
  text: string;
  /** What the person types next. */
  command: string;
};

/** Needs that arise within this time are told together. */
export const GROUP_MS = 10_000;

const FIRST_PAUSE_MS = 60_000;
const MAX_PAUSE_MS = 3_600_000;
/** More than a day of tries. */
export const MAX_ATTEMPTS = 30;

/** How long to wait before the next try. Until then the need belongs to the process that tries. */
export const pauseAfter = (attempts: number): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** Math.max(0, attempts - 1), MAX_PAUSE_MS);

/** From one time of day to another, in minutes after midnight. It may span midnight. */
type QuietHours = { from: number; to: number };

export function parseQuietHours(text: string): QuietHours | null {
  const found = /^([01]?\d|2[0-3]):([0-5]\d)-([01]?\d|2[0-3]):([0-5]\d)$/.exec(text.replaceAll(' ', ''));
  if (found === null) return null;
  const [from = 0, fromMinutes = 0, to = 0, toMinutes = 0] = found.slice(1).map(Number);
  const hours = { from: from * 60 + fromMinutes, to: to * 60 + toMinutes };
  return hours.from === hours.to ? null : hours;
}

/** `minutes`: the time of day, in minutes after midnight. */
export const isQuiet = (minutes: number, { from, to }: QuietHours): boolean =>
  from < to ? minutes >= from && minutes < to : minutes >= from || minutes < to;

// The text of a notification, and the form in which each service takes it.

export const SHAPES = ['json', 'slack', 'discord', 'ntfy', 'telegram'] as const;
export type Shape = (typeof SHAPES)[number];

export type Notification = {
  /** The same each time that this message is sent: who gets it twice can drop one. */
  key: string;
  project: string;
  title: string;
  needs: readonly Need[];
};

export const toNotification = (key: string, project: string, needs: readonly Need[]): Notification => ({
  key,
  project,
  title:
    needs.length === 1
      ? `${project}: ${truncate(singleLine(needs[0]?.text ?? ''), 120)}`
      : `${project}: ${plural(needs.length, 'thing')} for you`,
  needs: needs.map(({ event_id, kind, text, command }) => ({ event_id, kind, text, command })),
});

/** Discord takes 2,000 characters, and the others more. */
const MAX_TEXT = 1_800;
const MAX_LINE = 300;

/** One need a line, with its command below it. */
export function notificationText({ needs }: Pick<Notification, 'needs'>): string {
  const lines: string[] = [];
  let length = 0;
  for (const [index, { text, command }] of needs.entries()) {
    const line = `${truncate(singleLine(text), MAX_LINE)}\n  ${command}`;
    length += line.length + 1;
    if (length > MAX_TEXT) return [...lines, `and ${needs.length - index} more: ralph status`].join('\n');
    lines.push(line);
  }
  return lines.join('\n');
}

type WebhookBody = { type: string; body: string; headers: Readonly<Record<string, string>> };

/** Text of agents is only text: no service may take it for markup, a mention or a link preview. */
export function webhookBody(shape: Shape, notification: Notification, chat: string | null): WebhookBody {
  const text = notificationText(notification);
  const whole = `${notification.title}\n${text}`;
  const json = (value: unknown): WebhookBody => ({
    type: 'application/json',
    body: JSON.stringify(value),
    headers: {},
  });
  switch (shape) {
    case 'slack':
      return json({ text: escapeSlack(whole), unfurl_links: false, unfurl_media: false });
    case 'discord':
      return json({ content: escapeDiscord(whole), allowed_mentions: { parse: [] }, flags: NO_EMBEDS });
    case 'telegram':
      return json({ chat_id: chat, text: whole, link_preview_options: { is_disabled: true } });
    case 'ntfy':
      // A header holds ASCII alone.
      return {
        type: 'text/plain',
        body: text,
        headers: { title: notification.title.replace(/[^\x20-\x7e]/g, '?') },
      };
    case 'json':
      return json({ ...notification, text });
  }
}

const NO_EMBEDS = 4;

const escapeSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const escapeDiscord = (text: string): string => text.replace(/[\\*_~`|>#@[\]()]/g, '\\$&');
