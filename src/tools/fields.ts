// The building blocks of tool arguments: the rules of definitions, and words where a word is needed.
import * as z from 'zod';
import { PRIORITIES, TASK_KINDS } from '../domain/tasks/task.ts';
import { id, name, text, texts, title } from '../project/definitions/schema/fields.ts';

export { id, name, text, texts, title };

/** A text that says something. */
export const words = text.check((context) => {
  if (context.value.trim() === '')
    context.issues.push({ code: 'custom', message: 'is empty', input: context.value });
});

/** What may be said of a task besides its title. */
export const taskDetails = {
  description: text.optional(),
  feature: name.optional(),
  discipline: name.optional(),
  kind: z.enum(TASK_KINDS).optional(),
  priority: z.enum(PRIORITIES).optional(),
  acceptance_criteria: texts.optional(),
  context_files: texts.optional(),
  output_artifacts: texts.optional(),
  hints: text.optional(),
  pseudocode: text.optional(),
  estimated_turns: z.int().min(1).max(1_000).optional(),
  model: text.optional(),
  tags: texts.optional(),
};

/** Without the keys that were not given: absent and undefined are not the same to the queue. */
export function withoutUndefined<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>;
  };
}
