// The building blocks of tool arguments: the rules of definitions, and words where a word is needed.
import * as z from 'zod';
import { PRIORITIES } from '../domain/task.ts';
import { id, name, text, texts, title } from '../knowledge/schema/fields.ts';

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
  priority: z.enum(PRIORITIES).optional(),
  acceptance_criteria: texts.optional().describe('outcomes that a test or a look can confirm'),
  context_files: texts.optional().describe('files to read for it, inside the project'),
  output_artifacts: texts.optional().describe('files it creates or changes'),
  hints: text.optional(),
  pseudocode: text.optional().describe('the steps in order, naming real files and functions'),
  estimated_turns: z.int().positive().max(1_000).optional(),
  model: text.optional().describe('model to begin with'),
  tags: texts.optional(),
};

/** Without the keys that were not given: absent and undefined are not the same to the queue. */
export function given<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>;
  };
}
