// The field types of tool arguments: those of definitions, and texts that must not be empty.
import * as z from 'zod';
import { EFFORTS, PRIORITIES, TASK_KINDS } from '../domain/tasks/task.ts';
import { id, name, text, texts, title } from '../project/definitions/schema/fields.ts';

export { id, name, text, texts, title };

/** A text that is not empty. */
export const words = text.check((context) => {
  if (context.value.trim() === '')
    context.issues.push({ code: 'custom', message: 'is empty', input: context.value });
});

/** The fields of a task besides its title. */
export const taskDetails = {
  description: text.optional(),
  feature: name.optional(),
  discipline: name.optional().describe('who does it'),
  kind: z.enum(TASK_KINDS).optional(),
  priority: z.enum(PRIORITIES).optional(),
  acceptance_criteria: texts.optional(),
  context_files: texts.optional(),
  output_artifacts: texts.optional(),
  hints: text.optional(),
  pseudocode: text.optional(),
  estimated_turns: z.int().min(1).max(1_000).optional(),
  agent: name.optional(),
  model: text.optional(),
  effort: z.enum(EFFORTS).optional(),
  tags: texts.optional(),
  needs: texts.optional().describe('labels of the machine, such as gpu'),
};

/** Drops undefined keys: the queue treats an absent key and an undefined one differently. */
export function withoutUndefined<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>;
  };
}
