import * as z from 'zod';
import { words } from '../fields.ts';
import { defineTool, SETS } from '../tool.ts';
import { say } from './say.ts';

export const stuck = defineTool({
  name: 'stuck',
  title: 'No progress',
  description:
    'Close: you tried more than one way and cannot go on; another model tries next. If a person or another task could help: ask or blocked, then partial.',
  input: z.strictObject({
    reason: words.describe('What you tried, errors word for word'),
  }),
  example: {
    reason: 'The linker fails with "undefined symbol: zstd_init", with and without the bundled zstd.',
  },
  hints: SETS,
  run: (context, input) => say(context, { verb: 'stuck', ...input }),
});
