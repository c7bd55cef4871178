// biome-ignore-all lint/suspicious/noTemplateCurlyInString: people write variables so.
import * as z from 'zod';
import { NEED_KINDS, parseQuietHours, SHAPES } from '../../../domain/notifications/notification.ts';
import { text, texts } from './fields.ts';

export const notify = z
  .array(
    z
      .strictObject({
        webhook: text
          .regex(/^(https?:\/\/|\$\{\w+\})/, 'is neither an address nor the name of a variable in ${ }')
          .nullable()
          .default(null)
          .describe(
            'the address that gets each notification by POST; write `${NAME}` for what is secret: Ralph reads that variable of its environment',
          ),
        shape: z
          .enum(SHAPES)
          .default('json')
          .describe('the form of the request, which depends on the service behind the webhook'),
        chat: text.min(1).nullable().default(null).describe('for `telegram`: the chat that gets the message'),
        command: texts
          .min(1)
          .nullable()
          .default(null)
          .describe('a program and its arguments; it gets the text on stdin, and JSON in RALPH_NOTIFICATION'),
        desktop: z.boolean().default(false).describe('whether to show a notification on the desktop'),
        on: z
          .array(z.enum(NEED_KINDS))
          .default([...NEED_KINDS])
          .describe('what to send: questions, failed tasks, approvals, limits, the end of a run'),
        quiet: text
          .refine((value) => parseQuietHours(value) !== null, 'is not a time such as 22:00-07:00')
          .nullable()
          .default(null)
          .describe('hours without messages, such as `22:00-07:00`; Ralph sends them afterwards'),
      })
      .check(({ value, issues }) => {
        const ways = [value.webhook !== null, value.command !== null, value.desktop].filter(Boolean).length;
        const problem =
          ways !== 1
            ? 'needs one of webhook, command and desktop'
            : value.shape === 'telegram' && value.chat === null
              ? 'needs chat, the chat that gets the message'
              : null;
        if (problem !== null) issues.push({ code: 'custom', message: problem, input: value });
      }),
  )
  .default([])
  .describe('where Ralph sends a message when a run needs a person');
