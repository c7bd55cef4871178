import * as z from 'zod';
import { JOURNAL_VERSION } from '../../domain/journal/journal.ts';
import { LEARNING_KINDS, LEARNING_SCOPES } from '../../domain/sessions/signal.ts';
import { count, id, name, text, title } from '../definitions/schema/fields.ts';

const timestamp = z.iso.datetime();
/** More than Ralph ever writes. */
const MAX_ITEMS = 1_000;
/** More than any session costs; a sum of such costs stays a number. */
const MAX_COST_USD = 1_000_000;
const texts = z.array(text).max(MAX_ITEMS);

/** Not strict: a later Ralph may add fields to a line. */
export const journalSchema = z.object({
  v: z.literal(JOURNAL_VERSION),
  // The id is also the name of a folder.
  session: z.string().regex(/^[\w-]{1,100}$/, 'is not the id of a session'),
  run: id,
  task: id,
  title,
  feature: name.nullable(),
  discipline: name.nullable(),
  attempt: id,
  started: timestamp,
  ended: timestamp,
  outcome: text,
  verb: text.nullable(),
  summary: text.nullable(),
  errors: texts,
  decisions: texts,
  files: texts,
  read: texts,
  commands: z.array(z.object({ command: text, exit: z.int().nullable() })).max(MAX_ITEMS),
  model: text.nullable(),
  turns: count,
  input_tokens: count,
  output_tokens: count,
  cost_usd: z.number().nonnegative().max(MAX_COST_USD),
  commit: text.nullable(),
  proof: text.nullable().default(null),
  given: texts,
  learned: z
    .array(
      z.object({
        category: z.enum(LEARNING_KINDS),
        scope: z.enum(LEARNING_SCOPES),
        body: text.min(1),
        reason: text.nullable(),
      }),
    )
    .max(MAX_ITEMS),
});
