import * as z from 'zod';
import { withoutUndefined, words } from '../fields.ts';
import { defineTool, SETS } from '../tool.ts';
import { say } from './say.ts';

export const done = defineTool({
  name: 'done',
  title: 'Task done',
  description:
    'Close: the task is complete, every criterion met, and you saw the gates pass. Ralph runs them next and believes only those. Nearly finished is partial.',
  input: z.strictObject({
    summary: words.describe('What you built, for those who build on it'),
    no_change_reason: words.optional().describe('Why no file had to change; a person approves it'),
  }),
  example: { summary: 'Tokens are stored hashed; reset() in src/auth/reset.ts, 6 tests.' },
  hints: SETS,
  run: (context, { summary, ...rest }) => say(context, { verb: 'done', summary, ...withoutUndefined(rest) }),
});
