import * as z from 'zod';
import { BLOCK_KINDS } from '../../domain/sessions/signal.ts';
import { withoutUndefined, words } from '../fields.ts';
import { ADDS, defineTool } from '../tool.ts';
import { say } from './say.ts';

export const blocked = defineTool({
  name: 'blocked',
  title: 'Blocked by something else',
  description:
    'Another task must be done first (upstream_task), or something outside must happen (external), with no way around. Then call partial.',
  input: z.strictObject({
    on: words.describe('Task number or title, or what must happen'),
    kind: z.enum(BLOCK_KINDS),
    detail: words.optional(),
  }),
  example: { on: '12', kind: 'upstream_task', detail: 'The orders table is made there.' },
  hints: ADDS,
  run: (context, { on, kind, ...rest }) =>
    say(context, { verb: 'blocked', on, kind, ...withoutUndefined(rest) }),
});
