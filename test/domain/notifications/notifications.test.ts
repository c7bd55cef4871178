import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  isQuiet,
  type Need,
  notificationText,
  parseQuietHours,
  SHAPES,
  toNotification,
  webhookBody,
} from '../../../src/domain/notifications/notification.ts';
import { tries } from '../../support/tries.ts';

const need = (text: string, command = 'ralph status'): Need => ({
  event_id: 1,
  kind: 'question',
  text,
  command,
});

it('quiet hours may span midnight, and their end is no longer quiet', () => {
  const night = parseQuietHours('22:00-07:00');
  const noon = parseQuietHours('12:00 - 13:30');
  if (night === null || noon === null) throw new Error('not parsed');
  expect([21 * 60 + 59, 22 * 60, 0, 6 * 60 + 59, 7 * 60].map((at) => isQuiet(at, night))).toEqual([
    false,
    true,
    true,
    true,
    false,
  ]);
  expect([12 * 60, 13 * 60 + 30].map((at) => isQuiet(at, noon))).toEqual([true, false]);
  expect(['25:00-07:00', '22-7', '08:00-08:00', ''].map(parseQuietHours)).toEqual([null, null, null, null]);
});

it('one need is the title, several are counted, and each has its command below it', () => {
  const one = toNotification('k', 'shop', [need('#4 asks Q2: REST or gRPC?', 'ralph answer 2 "..."')]);
  expect(one.title).toBe('shop: #4 asks Q2: REST or gRPC?');
  expect(notificationText(one)).toBe('#4 asks Q2: REST or gRPC?\n  ralph answer 2 "..."');
  expect(toNotification('k', 'shop', [need('a'), need('b')]).title).toBe('shop: 2 things for you');
});

it('words of an agent are no markup, no mention and no link preview for any service', () => {
  const hostile = toNotification('k', 'shop', [need('<!channel> @everyone **now** [x](http://evil) & more')]);
  const body = (shape: (typeof SHAPES)[number]) => webhookBody(shape, hostile, '7').body;
  expect(JSON.parse(body('slack'))).toMatchObject({ unfurl_links: false });
  expect(JSON.parse(body('slack')).text).toContain('&lt;!channel&gt; @everyone');
  expect(JSON.parse(body('discord'))).toMatchObject({ allowed_mentions: { parse: [] }, flags: 4 });
  expect(JSON.parse(body('discord')).content).toContain('\\@everyone \\*\\*now\\*\\*');
  expect(JSON.parse(body('telegram'))).toMatchObject({
    chat_id: '7',
    link_preview_options: { is_disabled: true },
  });
  expect(JSON.parse(body('json'))).toMatchObject({ project: 'shop', needs: [{ command: 'ralph status' }] });
  expect(webhookBody('ntfy', toNotification('k', 'Übung', [need('a\nb: c')]), null).headers).toEqual({
    title: '?bung: a b: c',
  });
});

it('whatever agents write, every form has one bounded body and headers of one ASCII line', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 3_000, unit: 'binary' }), { maxLength: 60 }), (texts) => {
      const notification = toNotification(
        'k',
        'shop',
        texts.map((text) => need(text)),
      );
      for (const shape of SHAPES) {
        const { headers } = webhookBody(shape, notification, '1');
        for (const value of Object.values(headers)) expect(value).toMatch(/^[\x20-\x7e]*$/);
      }
      expect(notificationText(notification).length).toBeLessThan(2_000);
    }),
    { numRuns: tries(50) },
  );
});
