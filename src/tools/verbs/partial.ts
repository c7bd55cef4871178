import * as z from 'zod';
import { words } from '../fields.ts';
import { defineTool, SETS } from '../tool.ts';
import { say } from './say.ts';

export const partial = defineTool({
  name: 'partial',
  title: 'Part of the task done',
  description:
    'Close: useful work is there and more remains, or the task waits (after ask or blocked). A fresh session goes on.',
  input: z.strictObject({
    summary: words,
    remaining: words.describe('For one without your context'),
  }),
  example: { summary: 'Schema and migration are there.', remaining: 'The endpoint and its tests.' },
  hints: SETS,
  run: (context, input) => say(context, { verb: 'partial', ...input }),
});
