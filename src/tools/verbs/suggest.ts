import * as z from 'zod';
import { SUGGESTION_KINDS } from '../../domain/sessions/signal.ts';
import { name, withoutUndefined, words } from '../fields.ts';
import { ADDS, defineTool } from '../tool.ts';
import { say } from './say.ts';

export const suggest = defineTool({
  name: 'suggest',
  title: 'Suggest work',
  description: 'Propose work beyond this task, for later. A new_task becomes a draft that a person approves.',
  input: z.strictObject({
    what: words.describe('First line: a title'),
    kind: z.enum(SUGGESTION_KINDS),
    why: words,
    feature: name.optional(),
  }),
  example: {
    what: 'Rate-limit the login endpoint',
    kind: 'new_task',
    why: 'Nothing stops guessing of passwords.',
  },
  hints: ADDS,
  run: (context, { what, kind, why, ...rest }) =>
    say(context, { verb: 'suggest', what, kind, why, ...withoutUndefined(rest) }),
});
