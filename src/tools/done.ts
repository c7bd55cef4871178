import * as z from 'zod';
import { words } from './fields.ts';
import { say } from './say.ts';
import { defineTool, SETS } from './tool.ts';

export const done = defineTool({
  name: 'done',
  title: 'Task done',
  description:
    'Close: the task is complete, every criterion met, and you saw the checks pass. Ralph runs its gates next and believes only those. Nearly finished is partial.',
  input: z.strictObject({
    summary: words.describe('What you built, for those who build on it'),
  }),
  example: { summary: 'Tokens are stored hashed; reset() in src/auth/reset.ts, 6 tests.' },
  hints: SETS,
  run: (context, input) => say(context, { verb: 'done', ...input }),
});
