import * as z from 'zod';
import { FLAG_CATEGORIES, FLAG_SEVERITIES } from '../../domain/sessions/signal.ts';
import { words } from '../fields.ts';
import { ADDS, defineTool } from '../tool.ts';
import { say } from './say.ts';

export const flag = defineTool({
  name: 'flag',
  title: 'Flag a problem',
  description:
    'Report a problem outside this task instead of fixing it. Trouble with the task itself is stuck or blocked.',
  input: z.strictObject({
    what: words.describe('What, and where'),
    severity: z.enum(FLAG_SEVERITIES),
    category: z.enum(FLAG_CATEGORIES),
  }),
  example: { what: 'docs/api.md still describes v1 of /orders.', severity: 'warning', category: 'stale' },
  hints: ADDS,
  run: (context, input) => say(context, { verb: 'flag', ...input }),
});
