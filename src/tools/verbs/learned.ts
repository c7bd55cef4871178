import * as z from 'zod';
import { LEARNING_KINDS, LEARNING_SCOPES } from '../../domain/sessions/signal.ts';
import { withoutUndefined, words } from '../fields.ts';
import { ADDS, defineTool } from '../tool.ts';
import { say } from './say.ts';

export const learned = defineTool({
  name: 'learned',
  title: 'Keep a learning',
  description:
    'Keep one fact that saves later sessions time: lasting, surprising, hard to see in the code. Not a report of what you did.',
  input: z.strictObject({
    text: words,
    kind: z.enum(LEARNING_KINDS),
    rationale: words.optional(),
    scope: z.enum(LEARNING_SCOPES).default('feature'),
  }),
  example: { text: 'Run the tests with NODE_ENV=test, or mails are sent.', kind: 'gotcha', scope: 'project' },
  hints: ADDS,
  run: (context, { text, kind, scope, ...rest }) =>
    say(context, { verb: 'learned', text, kind, scope, ...withoutUndefined(rest) }),
});
