// The text of a notification, and the form in which each service takes it.
import { plural, singleLine, truncate } from '../text/text.ts';
import type { Need } from './need.ts';

export const SHAPES = ['json', 'slack', 'discord', 'ntfy', 'telegram'] as const;
export type Shape = (typeof SHAPES)[number];

export type Notification = { project: string; title: string; needs: readonly Need[] };

export const notificationOf = (project: string, needs: readonly Need[]): Notification => ({
  project,
  title:
    needs.length === 1
      ? `${project}: ${truncate(singleLine(needs[0]?.text ?? ''), 120)}`
      : `${project}: ${plural(needs.length, 'thing')} for you`,
  needs,
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

export type WebhookBody = { type: string; body: string; headers: Readonly<Record<string, string>> };

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
