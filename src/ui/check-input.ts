import type { z } from 'zod';
import { explainIssue } from '../project/definitions/explain-issue.ts';
import { Unserved } from './unserved.ts';

/** What was given as the schema makes it, or a sentence of what is wrong with it. */
export function checkInput(schema: z.ZodType, given: unknown): unknown {
  const { success, data, error } = schema.safeParse(given, { reportInput: true });
  if (success) return data;
  const [issue] = error.issues;
  throw new Unserved(
    400,
    `Nothing was changed: ${issue === undefined ? 'the request is not understood.' : explainIssue(issue, schema, 'the request').message}`,
  );
}
